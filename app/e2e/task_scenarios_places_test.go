package e2e

import (
	"strings"
	"testing"
)

// libraryScenarios are forms made of real component libraries.
func libraryScenarios() []scenario {
	return []scenario{
		{
			name: "Material UI: a menu, and a form with its dialog", page: "/mui",
			turns: []turn{
				does(click("btn MORE")), does(click("item Archive")),
				does(enter("edit Name", "Ada")),
				does(choose("select Size", "Medium")),
				does(choose("select Country", "Canada")),
				does(on("check", "[ ] News"), on("check", "switch Fast")),
				does(click("btn SAVE")),
				// The dialog fades slowly, and hides the page until it is removed
				// from the document.
				does(click("btn YES, SAVE"), plain("wait", "for", "gone", "value", "text=Save it now?")),
			},
			reported: []string{"Saved: archived"}, sees: []string{"Saved: Ada, Medium, Canada, news, fast"},
		},
		{
			name: "Ant Design: what is missing is said, and a form with its dialog", page: "/antd",
			turns: []turn{
				does(click("btn Save")),
				does(enter(`edit "* Name`, "Ada")),
				does(choose("select Colour", "Green")),
				does(choose("select City", "City 150")),
				does(on("check", "( ) Invoice"), on("check", "[ ] News"), on("check", "switch Fast")),
				// Enter accepts the date, and submits the form.
				does(enter("edit Day", "2026-12-24", "enter", true)),
				does(click("btn Yes, save"), plain("wait", "for", "gone", "value", "text=Save it now?")),
			},
			reported: []string{"invalid"}, sees: []string{"Saved: Ada, Green, City 150, 2026-12-24, Invoice, news, fast"},
		},
		{
			name: "Radix: a menu, tabs, a list and a dialog", page: "/radix",
			turns: []turn{
				does(click("btn More")), does(click("item Archive")),
				does(choose("select Fruit", "Banana")),
				does(click("tab How")),
				does(on("check", "[ ] News"), on("check", "switch Fast"), on("check", "( ) Invoice")),
				does(click("btn Save")),
				does(click("btn Yes, save")),
			},
			reported: []string{"Saved: archived"}, sees: []string{"Saved: Banana, Invoice, news, fast"},
		},
		{
			name: "Select2: one of few, one of many, several", page: "/select2",
			turns: []turn{
				does(choose("select Choose a colour", "Green")), does(choose("select Choose a town", "Town 41")),
				does(choose("searchbox Search", "Small")), does(choose("searchbox Search", "Large")),
				does(click("btn Save")),
			},
			sees: []string{"Saved: Green, Town 41, Small+Large"},
		},
	}
}

// placeScenarios are frames, and elements far away.
func placeScenarios() []scenario {
	return []scenario{
		{
			name: "frames of both kinds, and one in another", page: "/frames.html",
			turns: []turn{
				{acts: []act{inFrame("near", "one"), inFrame("far", "two"), inFrame("deep", "three")}},
				{acts: []act{takeFrame(0), takeFrame(1), takeFrame(2)}},
			},
			sees: []string{"near=one", "far=two", "deep=three"},
			// Only the far frame is on another site than the one that the task began on: what
			// is entered there is asked about, and nothing that is entered in the others.
			meet: func(st *scenarios) {
				st.until(st.panel, "it is asked about the far frame", `[...document.querySelectorAll('.approval')].some((one) => ['wants to type “two” into “Word”', 'localhost', 'It did not start on this site'].every((part) => one.innerText.includes(part)))`)
				st.word(st.panel, "Allow once")
			},
		},
		{
			name: "a list that never ends", page: "/endless.html",
			turns: []turn{
				does(plain("scroll", "down", 2000)), does(plain("scroll", "down", 2000)),
				does(plain("wait", "for", "text", "value", "Entry 60")), does(plain("find", "text", "Take 60")),
				does(func(s scene) do { return do{"do": "click", "ref": s.found()} }),
			},
			sees: []string{"Taken: Take 60"},
		},
		{
			name: "more of a long page", page: "/long.html",
			turns:    []turn{does(plain("find", "text", "password of the day")), does(plain("find", "text", "The last button")), does(func(s scene) do { return do{"do": "click", "ref": s.found()} })},
			reported: []string{"swordfish"}, sees: []string{"btn Pressed"},
		},
		{
			name: "a page as rows, Markdown, and data in a schema, wrong at first", page: "/table.html",
			turns: []turn{
				does(plain("table")), does(plain("read")),
				does(plain("extract", "schema", map[string]any{"type": "object", "properties": map[string]any{"total": map[string]any{"type": "integer"}}, "required": []string{"total"}})),
			},
			asks:     []string{"There are three chairs.", `{"total": 3}`},
			reported: []string{"Bern", "95", "## About", "**oldest**", "- Wood", `"total": 3`},
		},
	}
}

// inFrame types into the field of one of three frames that look alike. The order
// on the page tells them apart.
func inFrame(frame, text string) act {
	at := map[string]int{"near": 0, "far": 1, "deep": 2}[frame]
	return func(s scene) do { return do{"do": "type", "ref": s.nth("edit Word", at), "text": text} }
}

func takeFrame(at int) act {
	return func(s scene) do { return do{"do": "click", "ref": s.nth("btn Take", at)} }
}

// dialogScenarios are dialogs of the page, and content that appears late.
func dialogScenarios() []scenario {
	return []scenario{
		{
			name: "dialogs: a question, one that wants words, one that stops the sequence; leaving with unsaved words", page: "/dialogs.html",
			turns: []turn{
				does(click("btn Confirm")), does(plain("dialog", "answer", "dismiss")), does(click("btn Confirm")), does(plain("dialog", "answer", "accept")),
				does(click("btn Prompt")), does(plain("dialog", "answer", "accept", "text", "Ada")),
				does(click("btn Alert"), click("btn Confirm")), does(plain("dialog", "answer", "accept")),
				does(click("btn Modal")), does(click("btn Close it")),
				does(click("btn Edit")), does(plain("goto", "url", "/landed")),
			},
			reported: []string{"Really?", "status Denied", "Confirmed", "Named Ada", "1 further action was not done", "Alerted", "Modal closed"}, sees: []string{"You have landed"},
		},
		{
			name: "what comes late, and a fault of the page's script", page: "/late.html",
			turns: []turn{
				does(click("btn Begin"), plain("wait", "for", "text", "value", "Here it is"), plain("wait", "for", "gone", "value", "text=Please wait")),
				does(click("btn Take it")), does(plain("wait", "for", "quiet"), plain("wait", "for", "time", "value", 50)), does(click("btn Fault")),
			},
			reported: []string{"Taken", "the basket is broken"}, sees: []string{"Faulty"},
		},
	}
}

// nth is like ref, for one of several elements with the same line.
func (s scene) nth(name string, n int) string {
	rest := s.page
	for range n {
		_, after, _ := strings.Cut(rest, name)
		rest = after
	}
	s.page = rest
	return s.ref(name)
}

// TestTaskPlaces runs component libraries, frames, long pages and dialogs.
func TestTaskPlaces(t *testing.T) {
	st := newScenarios(t)
	st.run(t, libraryScenarios())
	st.run(t, placeScenarios())
	st.run(t, dialogScenarios())
}
