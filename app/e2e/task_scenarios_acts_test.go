package e2e

import (
	"regexp"
	"testing"
)

// formScenarios are forms and their fields.
func formScenarios() []scenario {
	return []scenario{
		{
			name: "every kind of field", page: "/fields.html",
			turns: []turn{does(click("btn Save")), does(
				enter("edit Name", "Ada"), enter("edit Mail", "ada@example.org"), enter("number Persons", "3"), enter("date Day", "2026-12-24"),
				enter("edit Notes", "One\nTwo"), choose("select City", "Berlin"), on("check", "( ) Invoice"), on("check", "[x] News", "on", false),
				click("btn Save"),
			)},
			sees: []string{"Saved: name=Ada, mail=ada@example.org, persons=3, day=2026-12-24, notes=One Two, city=Berlin, pay=invoice"},
		},
		{
			name: "keys: a password, Enter, real key events, an editor, a list, a shortcut", page: "/keys.html",
			turns: []turn{
				does(enter("edit Password", "hunter2"), enter("edit Search", " news", "append", true, "enter", true)),
				does(enter("edit Search", "fish", "enter", true), enter("edit Code", "A7-9"), enter("edit Letter", " Ada,", "append", true)),
				does(on("press", "listbox Colours", "keys", "End"), on("press", "listbox Colours", "keys", "Enter")),
				does(plain("press", "keys", "Control+K")),
			},
			reported: []string{"Searched: old news", "Searched: fish", "Keys: A7-9", "Dear Ada,", "Chosen: Blue"}, sees: []string{"Palette"},
			never: []string{"=\"hunter2\""},
		},
		{
			name: "a button that is disabled, and one under a banner", page: "/states.html",
			turns: []turn{
				does(click("btn Continue")), does(click("btn Basket")), does(click("btn Reject all")),
				does(on("check", "[ ] I agree"), click("btn Continue")), does(click("btn Basket")),
			},
			reported: []string{"FAILED (disabled)", "FAILED (covered)", "We use cookies", "Agreed"}, sees: []string{"In the basket"},
		},
		{
			name: "a list of the page's own, and suggestions of a server", page: "/own.html",
			turns: []turn{
				does(choose("select Fruit", "Banana")),
				does(enter("edit Town", "Li"), plain("wait", "for", "text", "value", "Liverpool")), does(click("btn Liverpool")),
			},
			reported: []string{"Fruit: Banana"}, sees: []string{"Town: Liverpool"},
		},
	}
}

// mouseScenarios are mouse actions.
func mouseScenarios() []scenario {
	return []scenario{
		{
			// The menu moves what is below it, so the drags come first.
			name: "drags, clicks of every kind, a menu under the mouse", page: "/mouse.html",
			turns: []turn{
				does(on("drag", "btn Card", "to", elsewhere("btn Bin"))), does(on("drag", "slider Knob", "to", elsewhere("btn Goal"))),
				does(click("btn Twice", "count", 2)), does(click("btn Right", "button", "right")),
				does(click("btn Shifted", "keys", "Shift")), does(click("btn Middle", "button", "middle")),
				does(on("hover", "btn Products")), does(click("btn Chairs")),
			},
			reported: []string{"Dropped card", "Moved to the goal", "Double", "Context", "With Shift", "Button 1"}, sees: []string{"Chairs"},
		},
		{
			name: "keys and buttons that stay down, a drag along points, fingers", page: "/verbs.html",
			turns: []turn{
				does(plain("keydown", "keys", "Shift")), does(click("btn Pad")), does(plain("keyup")),
				does(on("mouse", "btn Pad", "action", "down")), does(plain("mouse", "action", "up")), does(click("btn Pad", "hold", 300)),
				does(on("drag", "btn Pad", "to", "100,130", "via", "60,120 90,240", "speed", 1000)),
				does(on("tap", "btn Pad", "hold", 100)), does(on("swipe", "btn Pad", "right", -80)), does(on("pinch", "btn Pad", "scale", 2)),
			},
			reported: []string{"With Shift", "Shift is up", "Mouse is down", "Held", "Dragged around", "1 fingers, moved"}, sees: []string{"2 fingers"},
		},
		{
			name: "scroll exactly as far as asked, and to an element", page: "/scroll.html",
			turns: []turn{
				does(plain("scroll", "down", 300)), does(plain("scroll", "down", -100)), does(on("scroll", "region Area", "down", 500)),
				does(plain("find", "text", "At the bottom")), does(func(s scene) do { return do{"do": "scroll", "ref": s.found()} }), does(click("btn At the bottom")),
			},
			reported: []string{"page 300, area 0", "page 200, area 0", "area 500"}, sees: []string{"bottom"},
		},
	}
}

// found returns the ref of the element that the action find returned.
func (s scene) found() string {
	if hit := regexp.MustCompile(`(\w+) …[^»\n]*»`).FindStringSubmatch(s.steps); hit != nil {
		return hit[1]
	}
	return "nothing was found"
}

// TestTaskActs runs the actions of a task on a page.
func TestTaskActs(t *testing.T) {
	st := newScenarios(t)
	st.run(t, formScenarios())
	st.run(t, mouseScenarios())
}
