package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// formScenarios are forms and their fields.
func formScenarios() []scenario {
	long := strings.Repeat("All work and no play makes a dull page. ", 30)
	return []scenario{
		{
			name: "every kind of field", page: "/fields.html",
			turns: []turn{does(
				enter("edit Name", "Ada"), enter("edit Mail", "ada@example.org"), enter("number Persons", "3"), enter("date Day", "2026-12-24"),
				enter("edit Notes", "One\nTwo"), choose("select City", "Berlin"), on("check", "( ) Invoice"), on("check", "[x] News", "on", false),
				click("btn Save"),
			)},
			sees: []string{"Saved: name=Ada, mail=ada@example.org, persons=3, day=2026-12-24, notes=One Two, city=Berlin, pay=invoice"},
		},
		{
			name: "a password is masked", page: "/keys.html",
			turns: []turn{does(enter("edit Password", "hunter2")), does(click("edit Code"))},
			told:  []string{"Password"}, never: []string{"=\"hunter2\""},
		},
		{
			name: "a field that must be filled", page: "/fields.html",
			turns: []turn{does(click("btn Save")), does(enter("edit Name", "Bob"), click("btn Save"))},
			sees:  []string{"Saved: name=Bob"},
		},
		{
			name: "append, then Enter", page: "/keys.html",
			turns: []turn{does(enter("edit Search", " news", "append", true, "enter", true))},
			sees:  []string{"Searched: old news"},
		},
		{
			name: "in place, then Enter", page: "/keys.html",
			turns: []turn{does(enter("edit Search", "fish", "enter", true))},
			sees:  []string{"Searched: fish"},
		},
		{
			name: "real key events", page: "/keys.html",
			turns: []turn{does(enter("edit Code", "A7-9"))},
			sees:  []string{"Keys: A7-9"},
		},
		{
			name: "an editor", page: "/keys.html",
			turns: []turn{does(enter("edit Letter", " Ada,", "append", true))},
			sees:  []string{"Dear Ada,"},
		},
		{
			name: "a long text", page: "/fields.html",
			turns: []turn{does(enter("edit Name", "Ada"), enter("edit Notes", long), click("btn Save"))},
			sees:  []string{"no play makes a dull page. All work"},
		},
		{
			name: "keys in a list, and a shortcut", page: "/keys.html",
			turns: []turn{
				does(on("press", "listbox Colours", "keys", "End"), on("press", "listbox Colours", "keys", "Enter")),
				does(plain("press", "keys", "Control+K")),
			},
			told: []string{"Chosen: Blue"}, sees: []string{"Palette"},
		},
		{
			name: "a button that is disabled", page: "/states.html",
			turns: []turn{does(click("btn Continue")), does(on("check", "[ ] I agree"), click("btn Continue"))},
			told:  []string{"FAILED (disabled)"}, sees: []string{"Agreed"},
		},
		{
			name: "a button under a banner", page: "/states.html",
			turns: []turn{does(click("btn Basket")), does(click("btn Reject all")), does(click("btn Basket"))},
			told:  []string{"FAILED (covered)", "We use cookies"}, sees: []string{"In the basket"},
		},
		{
			name: "the same failure twice", page: "/states.html",
			turns: []turn{does(click("btn Continue")), does(click("btn Continue"))},
			told:  []string{"The same action failed 2 times"},
		},
		{
			name: "a list of the page's own", page: "/own.html",
			turns: []turn{does(choose("select Fruit", "Banana"))},
			sees:  []string{"Fruit: Banana"},
		},
		{
			name: "suggestions of a server", page: "/own.html",
			turns: []turn{does(enter("edit Town", "Li"), plain("wait", "for", "text", "value", "Liverpool")), does(click("btn Liverpool"))},
			sees:  []string{"Town: Liverpool"},
		},
	}
}

// mouseScenarios are mouse actions.
func mouseScenarios() []scenario {
	return []scenario{
		{
			name: "clicks of every kind", page: "/mouse.html",
			turns: []turn{
				does(click("btn Twice", "count", 2)), does(click("btn Right", "button", "right")),
				does(click("btn Shifted", "keys", "Shift")), does(click("btn Middle", "button", "middle")),
			},
			told: []string{"Double", "Context", "With Shift"}, sees: []string{"Button 1"},
		},
		{
			name: "a menu that opens under the mouse", page: "/mouse.html",
			turns: []turn{does(on("hover", "btn Products")), does(click("btn Chairs"))},
			sees:  []string{"Chairs"},
		},
		{
			name: "drag and drop", page: "/mouse.html",
			turns: []turn{does(on("drag", "btn Card", "to", elsewhere("btn Bin")))},
			sees:  []string{"Dropped card"},
		},
		{
			name: "a drag with the pointer", page: "/mouse.html",
			turns: []turn{does(on("drag", "slider Knob", "to", elsewhere("btn Goal")))},
			sees:  []string{"Moved to the goal"},
		},
		{
			name: "keys and buttons that stay down", page: "/verbs.html",
			turns: []turn{
				does(plain("keydown", "keys", "Shift")), does(click("btn Pad")), does(plain("keyup")),
				does(on("mouse", "btn Pad", "action", "down")), does(plain("mouse", "action", "up")),
				does(click("btn Pad", "hold", 300)),
			},
			told: []string{"With Shift", "Shift is up", "Mouse is down"}, sees: []string{"Held"},
		},
		{
			name: "a drag along points", page: "/verbs.html",
			turns: []turn{does(on("drag", "btn Pad", "to", "100,130", "via", "60,120 90,240", "speed", 1000))},
			sees:  []string{"Dragged around"},
		},
		{
			name: "fingers", page: "/verbs.html",
			turns: []turn{
				does(on("tap", "btn Pad", "hold", 100)), does(on("swipe", "btn Pad", "right", -80)), does(on("pinch", "btn Pad", "scale", 2)),
			},
			told: []string{"1 fingers, moved"}, sees: []string{"2 fingers"},
		},
		{
			name: "scroll exactly as far as asked", page: "/scroll.html",
			turns: []turn{
				does(plain("scroll", "down", 300)), does(plain("scroll", "down", -100)),
				does(on("scroll", "region Area", "down", 500)),
			},
			told: []string{"page 300, area 0", "page 200, area 0"}, sees: []string{"area 500"},
		},
		{
			name: "scroll to an element", page: "/scroll.html",
			turns: []turn{does(plain("find", "text", "At the bottom")), does(func(s scene) do { return do{"do": "scroll", "ref": s.found()} }), does(click("btn At the bottom"))},
			sees:  []string{"bottom"},
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
	st := newStage(t)
	st.run(t, formScenarios())
	st.run(t, mouseScenarios())
}
