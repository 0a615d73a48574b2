package browser

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Options with the same label are distinguished by value, and one that cannot be chosen
// is skipped when another one can.
func TestOptionsOfOneLabel(t *testing.T) {
	s := stageOf(t, `
		<select id=twins><option value="">Choose<option value=us>United States<option value=usa>United&nbsp;States<option value=ca>Canada</select>
		<select id=group><optgroup label=Old disabled><option value=o1>One</optgroup><optgroup label=New><option value=n1>One<option value=n2 disabled>Two</optgroup></select>
		<select id=groups><optgroup label=Europe><option value=ge>Georgia</optgroup><optgroup label=USA><option value=ga>Georgia</optgroup></select>
		<select id=hidden><option>First<option value=h hidden>Red<option value=v>Red</select>
		<select id=same><option>First<option value=x>Same<option value=x>Same</select>
		<select id=cased><option value=lo>apple<option value=up>Apple</select>
		<select id=own><option value=it>Small<option>Small</select>
		<select id=list size=4><option value=a1>A<option value=a2>A<option value=b>B</select>`)
	for _, c := range []struct {
		list, value, chosen, says string
	}{
		{"#twins", "United States", "", `2 options have the label "United States"; their values are "us", "usa"`},
		{"#twins", "UNITED STATES", "", `their values are "us", "usa"`},
		{"#twins", "usa", "usa", ""},
		{"#twins", "us", "us", ""},
		{"#twins", "", "", ""},
		{"#group", "One", "n1", ""},
		{"#group", "Two", "", `option "Two" is disabled`},
		{"#groups", "Georgia", "", `their values are "ge" in "Europe", "ga" in "USA"`},
		{"#groups", "ga", "ga", ""},
		{"#hidden", "Red", "v", ""},
		{"#same", "Same", "x", ""},
		{"#cased", "apple", "lo", ""},
		{"#cased", "Apple", "up", ""},
		{"#cased", "APPLE", "", `their values are "lo", "up"`},
		{"#own", "Small", "Small", ""},
		{"#own", "it", "it", ""},
		{"#list", "A", "", `their values are "a1", "a2"`},
		{"#list", "a2", "a2", ""},
	} {
		q := protocol.ActRequest{Kind: protocol.ActSelect, Target: c.list, Values: []string{c.value}, Text: c.value}
		before := s.eval(t, `document.querySelector("`+c.list+`").value`)
		_, err := s.Act(deadline(t), nobody, s.tab, q, nil)
		chosen := s.eval(t, `document.querySelector("`+c.list+`").value`)
		switch {
		case c.says == "" && (err != nil || chosen != c.chosen):
			t.Errorf("select %s %q: %v, %q", c.list, c.value, err, chosen)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || chosen != before):
			t.Errorf("select %s %q: %v, %q", c.list, c.value, err, chosen)
		}
	}
}

// A list that takes several options can be emptied, by events as those of a user.
func TestListIsEmptied(t *testing.T) {
	s := stageOf(t, `
		<select id=some multiple size=4><option value=r selected>Red<option value=g>Green<option value=b selected>Blue</select>
		<select id=none multiple><option value="" selected>No colour<option value=g selected>Green</select>
		<select id=unseen multiple style="position:absolute;left:-999px"><option selected>Red<option selected>Green</select>
		<select id=one><option>Red<option selected>Green</select>
		<script>const said = []; addEventListener('change', (event) => said.push(event.target.id + ' ' + event.isTrusted));
		const has = (id) => Array.from(document.getElementById(id).selectedOptions, ({ text }) => text).join();</script>`)
	for _, id := range []string{"some", "none", "unseen"} {
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#" + id, Values: []string{""}})
		if has := s.eval(t, `has("`+id+`")`); has != "" || e.Value == nil || *e.Value != "" {
			t.Errorf("%s has %q: %+v", id, has, e)
		}
	}
	if said := s.eval(t, `said.filter((one) => one.startsWith('some')).join()`); said != "some true,some true" {
		t.Errorf("the page heard %q", said)
	}
	if _, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#one", Values: []string{""}}, nil); code(err) != protocol.CodeNotActable {
		t.Errorf("a list of one option is emptied: %v", err)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActSelect, Target: "#some", Values: []string{"Red", "Green"}})
	if has := s.eval(t, `has("some")`); has != "Red,Green" {
		t.Errorf("it has %q", has)
	}
}

// A date, a time or a colour is taken in each form that can mean only one value; for
// others the error says the right form.
func TestValuesInOtherForms(t *testing.T) {
	s := stageOf(t, `<input type=date id=date><input type=time id=time><input type=datetime-local id=when>
		<input type=month id=month><input type=week id=week><input type=color id=colour><input type=range id=range min=2 max=10 step=2>`)
	for _, c := range []struct {
		field, given, value, hint string
	}{
		{"#when", "2026-03-04T13:05", "2026-03-04T13:05", ""},
		{"#when", "2026-03-04 13:05", "2026-03-04T13:05", ""},
		{"#when", "2026-3-4, 9:05", "2026-03-04T09:05", ""},
		{"#when", "2026/03/04 1:05 PM", "2026-03-04T13:05", ""},
		{"#when", "2026-03-04 13:05:00", "2026-03-04T13:05", ""},
		{"#when", "04.03.2026 13:05", "", "write it as 2026-02-28T13:05"},
		{"#when", "2026-03-04", "", "write it as 2026-02-28T13:05"},
		{"#when", "2026-03-04 13:05Z", "", "write it as 2026-02-28T13:05"},
		{"#date", "2026-03-04", "2026-03-04", ""},
		{"#date", "2026/3/4", "2026-03-04", ""},
		{"#date", "2026.03.04", "2026-03-04", ""},
		{"#date", "03/04/2026", "", "write it as 2026-02-28"},
		{"#date", "2026-02-30", "", "write it as 2026-02-28"},
		{"#date", "2026-03-04 13:05", "", "write it as 2026-02-28"},
		{"#time", "13:05", "13:05", ""},
		{"#time", "9:05", "09:05", ""},
		{"#time", "12:30 am", "00:30", ""},
		{"#time", "1:05 p.m.", "13:05", ""},
		{"#time", "25:00", "", "write it as 13:05"},
		{"#time", "13:05 pm", "", "write it as 13:05"},
		{"#month", "2026-5", "2026-05", ""},
		{"#month", "May 2026", "", "write it as 2026-02"},
		{"#week", "2026-W7", "2026-W07", ""},
		{"#week", "2026 w12", "2026-W12", ""},
		{"#week", "7", "", "write it as 2026-W09"},
		{"#colour", "#F80", "#ff8800", ""},
		{"#colour", "#FF8800", "#ff8800", ""},
		{"#colour", "red", "", "write it as #ff8800"},
		{"#range", "6", "6", ""},
		{"#range", "11", "", "it takes a number from 2 to 10, in steps of 2"},
		{"#date", "", "", ""},
	} {
		_, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActFill, Target: c.field, Text: c.given}, nil)
		value := s.eval(t, `document.querySelector("`+c.field+`").value`)
		switch {
		case c.hint == "" && (err != nil || value != c.value):
			t.Errorf("fill %s %q: %v, %q", c.field, c.given, err, value)
		case c.hint != "" && (err == nil || protocol.AsError(err).Hint != c.hint):
			t.Errorf("fill %s %q: %v", c.field, c.given, err)
		}
	}
}

// A tab in a typed text is a character of the text. Where no text is taken, it is the
// key.
func TestTypedTab(t *testing.T) {
	s := stageOf(t, `<input id=line><textarea id=lines></textarea><div id=editor contenteditable style="white-space:pre"></div>
		<input id=mail type=email><div id=grid tabindex=0>x</div><input id=last>
		<script>const keys = []; grid.onkeydown = (event) => keys.push(event.key);</script>`)
	for _, c := range []struct{ target, value string }{
		{"#line", "line.value"}, {"#lines", "lines.value"}, {"#editor", "editor.textContent"},
	} {
		for _, clear := range []bool{false, true} {
			s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: c.target, Text: "one\ttwo", Clear: clear})
			if has := s.eval(t, c.value); has != "one\ttwo" {
				t.Errorf("%s has %q", c.target, has)
			}
			if on := s.eval(t, "'#' + document.activeElement.id"); on != c.target {
				t.Errorf("the focus went from %s to %s", c.target, on)
			}
		}
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#mail", Text: "a@b.example\t"})
	if on := s.eval(t, "document.activeElement.id + ' ' + mail.value"); on != "mail a@b.example" {
		t.Errorf("an address: %q", on)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#grid", Text: "a\t"})
	if on := s.eval(t, "keys.join() + ' ' + document.activeElement.id"); on != "a,Tab last" {
		t.Errorf("the page heard %q", on)
	}
}

// What is inert without a dialog is not said to be behind one.
func TestInertIsNamedRightly(t *testing.T) {
	s := stageOf(t, `<div inert><button id=a>In an inert part</button></div><main id=rest><button id=b>Behind</button></main>
		<div role=dialog aria-modal=true id=box hidden><button>Close</button></div><dialog id=own><button>OK</button></dialog>`)
	refused := func(target string) *protocol.Error {
		_, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActClick, Target: target}, nil)
		return protocol.AsError(err)
	}
	if err := refused("#a"); err.Code != protocol.CodeInert || strings.Contains(err.Message, "dialog") {
		t.Errorf("an inert part: %+v", err)
	}
	s.eval(t, "(box.hidden = false, rest.inert = true)")
	if err := refused("#b"); err.Code != protocol.CodeInert || !strings.Contains(err.Message, "while a modal dialog is open") {
		t.Errorf("behind a dialog of the page's own: %+v", err)
	}
	s.eval(t, "(box.hidden = true, rest.inert = false, own.showModal())")
	if err := refused("#b"); err.Code != protocol.CodeInert || !strings.Contains(err.Message, "while a modal dialog is open") {
		t.Errorf("behind a dialog: %+v", err)
	}
}
