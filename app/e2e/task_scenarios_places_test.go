package e2e

import (
	"strings"
	"testing"
)

// libraryScenarios are forms made of real component libraries.
func libraryScenarios() []scenario {
	return []scenario{
		{
			name: "Material UI: a form with its dialog", page: "/mui",
			turns: []turn{
				does(enter("edit Name", "Ada")),
				does(choose("select Size", "Medium")),
				does(choose("select Country", "Canada")),
				does(on("check", "[ ] News"), on("check", "switch Fast")),
				does(click("btn SAVE")),
				// The dialog fades slowly, and hides the page until it is removed
				// from the document.
				does(click("btn YES, SAVE"), plain("wait", "for", "gone", "value", "text=Save it now?")),
			},
			sees: []string{"Saved: Ada, Medium, Canada, news, fast"},
		},
		{
			name: "Ant Design: a form with its dialog", page: "/antd",
			turns: []turn{
				does(enter(`edit "* Name`, "Ada")),
				does(choose("select Colour", "Green")),
				does(choose("select City", "City 150")),
				does(on("check", `( ) "Invoice`), on("check", `[ ] "News`), on("check", "switch Fast")),
				// Enter accepts the date, and submits the form.
				does(enter("edit Day", "2026-12-24", "enter", true)),
				does(click("btn Yes, save"), plain("wait", "for", "gone", "value", "text=Save it now?")),
			},
			sees: []string{"Saved: Ada, Green, City 150, 2026-12-24, Invoice, news, fast"},
		},
		{
			name: "Material UI: a menu", page: "/mui",
			turns: []turn{does(click("btn MORE")), does(click("item Archive"))},
			sees:  []string{"Saved: archived"},
		},
		{
			name: "Ant Design: what is missing is said", page: "/antd",
			turns: []turn{does(click("btn Save"))},
			sees:  []string{"invalid"},
		},
		{
			name: "Radix: tabs, a list and a dialog", page: "/radix",
			turns: []turn{
				does(choose("select Fruit", "Banana")),
				does(click("tab How")),
				does(on("check", "[ ] News"), on("check", "switch Fast"), on("check", "( ) Invoice")),
				does(click("btn Save")),
				does(click("btn Yes, save")),
			},
			sees: []string{"Saved: Banana, Invoice, news, fast"},
		},
		{
			name: "Radix: a menu", page: "/radix",
			turns: []turn{does(click("btn More")), does(click("item Archive"))},
			sees:  []string{"Saved: archived"},
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
			meet: func(st *stage) {
				st.until(st.panel, "it is asked about the far frame", `[...document.querySelectorAll('.approval')].some((one) => ['wants to type “two” into “Word”', 'localhost', 'It did not start on this site'].every((part) => one.innerText.includes(part)))`)
				st.word(st.panel, "Allow once")
			},
		},
		{
			name: "shadow roots, open and closed", page: "/shadow.html",
			turns: []turn{does(enter("edit open word", "one"), click("btn Take open"), enter("edit closed word", "two"), click("btn Take closed"))},
			sees:  []string{"open=one closed=two"},
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
			name: "a long page as Markdown", page: "/long.html",
			turns: []turn{does(plain("find", "text", "password of the day"))},
			told:  []string{"swordfish"},
		},
		{
			name: "more of a long page", page: "/long.html",
			turns: []turn{does(plain("find", "text", "The last button")), does(func(s scene) do { return do{"do": "click", "ref": s.found()} })},
			sees:  []string{"btn Pressed"},
		},
		{
			name: "a table as rows", page: "/table.html",
			turns: []turn{does(plain("table"))}, told: []string{"Bern", "95"},
		},
		{
			name: "a page as Markdown", page: "/table.html",
			turns: []turn{does(plain("read"))}, told: []string{"## About", "**oldest**", "- Wood"},
		},
		{
			name: "rows of the fields that were asked for", page: "/table.html",
			turns: []turn{does(plain("extract", "fields", []string{"name", "price"}))},
			asks:  []string{`[{"name": "Oslo", "price": 120}, {"name": "Rome", "price": 80}]`},
			told:  []string{`"price": 80`},
		},
		{
			name: "data in a schema, wrong at first", page: "/table.html",
			turns: []turn{does(plain("extract", "schema", map[string]any{"type": "object", "properties": map[string]any{"total": map[string]any{"type": "integer"}}, "required": []string{"total"}}))},
			asks:  []string{"There are three chairs.", `{"total": 3}`},
			told:  []string{`"total": 3`},
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

// dialogScenarios are dialogs, files and notifications of the page.
func dialogScenarios() []scenario {
	return []scenario{
		{
			name: "a question of the page", page: "/dialogs.html",
			turns: []turn{does(click("btn Confirm")), does(plain("dialog", "answer", "dismiss")), does(click("btn Confirm")), does(plain("dialog", "answer", "accept"))},
			told:  []string{"Really?", "status Denied"}, sees: []string{"Confirmed"},
		},
		{
			name: "a dialog that wants words", page: "/dialogs.html",
			turns: []turn{does(click("btn Prompt")), does(plain("dialog", "answer", "accept", "text", "Ada"))},
			sees:  []string{"Named Ada"},
		},
		{
			name: "a dialog stops the sequence", page: "/dialogs.html",
			turns: []turn{does(click("btn Alert"), click("btn Confirm")), does(plain("dialog", "answer", "accept"))},
			told:  []string{"1 further action was not done"}, sees: []string{"Alerted"},
		},
		{
			name: "a modal part of the page", page: "/dialogs.html",
			turns: []turn{does(click("btn Modal")), does(click("btn Close it"))},
			sees:  []string{"Modal closed"},
		},
		{
			name: "leaving a page with unsaved words", page: "/dialogs.html",
			turns: []turn{does(click("btn Edit")), does(plain("goto", "url", "/landed"))},
			sees:  []string{"You have landed"},
		},
		{
			name: "a fault of the page's script", page: "/late.html",
			turns: []turn{does(click("btn Fault"))}, told: []string{"the basket is broken"}, sees: []string{"Faulty"},
		},
		{
			name: "what comes late", page: "/late.html",
			turns: []turn{
				does(click("btn Begin"), plain("wait", "for", "text", "value", "Here it is"), plain("wait", "for", "gone", "value", "text=Please wait")),
				does(click("btn Take it")), does(plain("wait", "for", "quiet"), plain("wait", "for", "time", "value", 50)),
			},
			sees: []string{"Taken"},
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
	st := newStage(t)
	st.run(t, libraryScenarios())
	st.run(t, placeScenarios())
	st.run(t, dialogScenarios())
}
