//go:build agents

package agents_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
)

// job is what a user asks for, and the calls of somebody who knows both Pilotfish and
// the page.
type job struct {
	name, page string
	// named is true when the user names the elements, so that nobody has to look for
	// them first.
	named bool
	acts  []act
	// wait is a text that comes later; read is the command for what is asked.
	wait, read string
	// answer is in the output when it is done.
	answer string
	// byHand are the calls; TAB and a name in <> stand for what earlier calls printed.
	byHand []string
}

// act is one action on an element with a name.
type act struct{ do, element, value string }

// jobs returns the jobs on a site.
func jobs(url string) []job {
	open := "pilotfish newtab " + url
	return []job{
		{
			name: "a form whose fields are not known", page: "/", answer: "/saved?name=Ada+Lovelace&terms=on",
			acts:   []act{{"fill", "Name", "Ada Lovelace"}, {"check", "Terms", ""}, {"click", "Save", ""}},
			byHand: []string{open + "/", "pilotfish snapshot --interactive --tab TAB", `pilotfish chain --tab TAB 'fill <Name> "Ada Lovelace"' 'check <Terms>' 'click <Save>'`},
		},
		{
			name: "a table", page: "/prices", read: "tables", answer: "Oranges | 4.20",
			byHand: []string{open + "/prices", "pilotfish tables --tab TAB"},
		},
		{
			name: "a table behind a link", page: "/shop", named: true, acts: []act{{"click", "Prices", ""}}, read: "tables", answer: "Oranges | 4.20",
			byHand: []string{open + "/shop", `pilotfish chain --tab TAB 'click "text=Prices"' tables`},
		},
		{
			name: "what comes later", page: "/late", named: true, acts: []act{{"click", "Load", ""}}, wait: "Order", read: "text", answer: "Order 4711",
			byHand: []string{open + "/late", `pilotfish chain --tab TAB 'click "text=Load"' 'wait text "Order"' text`},
		},
	}
}

// site serves the pages of the jobs.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/{$}":    `<h1>Sign up</h1><form action="/saved"><label>Name <input name="name" required></label><label><input type="checkbox" name="terms" required>Terms</label><button>Save</button></form>`,
		"/saved":  `<h1>Thank you</h1>`,
		"/prices": `<table><tr><th>Fruit</th><th>Price</th></tr><tr><td>Apples</td><td>3.10</td></tr><tr><td>Oranges</td><td>4.20</td></tr></table>`,
		"/shop":   `<h1>Shop</h1><a href="/prices">Prices</a>`,
		"/late":   `<button onclick="setTimeout(() => { document.querySelector('p').textContent = 'Order 4711' }, 300)">Load</button><p></p>`,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, "<!doctype html><title>Test</title>%s", body)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// called is one call of the shell, with what it printed.
type called struct{ command, said string }

// obey returns the next call of somebody who knows about Pilotfish only what the text
// says, and does that: it uses a command, names an element, and puts steps into one call
// only if the text shows it; "" when there is nothing left to do.
func obey(text string, e job, url string, done []called) string {
	shows := func(beginning string) string {
		found := regexp.MustCompile("`" + regexp.QuoteMeta(beginning) + "[^`]*`").FindString(text)
		return strings.Trim(found, "`")
	}
	if len(done) == 0 {
		return strings.Replace(shows("pilotfish newtab URL"), "URL", url+e.page, 1)
	}
	tab := ""
	if shows("--tab t4") != "" {
		tab = " --tab " + regexp.MustCompile(`\bt\d+\b`).FindString(done[0].said)
	}
	byName := e.named && shows("click 'text=") != ""
	before := 1
	if len(e.acts) > 0 && !byName {
		if before = 2; len(done) == 1 {
			return shows("pilotfish snapshot") + tab
		}
	}
	var acts, later []string
	for _, a := range e.acts {
		step := a.do + ` "text=` + a.element + `"`
		if !byName {
			step = a.do + " " + ref(done[1].said, a.element)
		}
		if a.value != "" {
			step += ` "` + a.value + `"`
		}
		acts = append(acts, step)
	}
	if e.wait != "" && shows("pilotfish wait text") != "" {
		later = append(later, `wait text "`+e.wait+`"`)
	}
	if e.read != "" {
		if shows(e.read) == "" && shows("pilotfish "+e.read) == "" {
			return "the text does not say how to read " + e.read
		}
		later = append(later, e.read)
	}
	chain := shows("pilotfish chain '")
	if strings.Contains(chain, "wait text") && len(acts) > 0 {
		acts, later = append(acts, later...), nil
	}
	var calls []string
	if chain != "" && len(acts) > 1 {
		calls = append(calls, "pilotfish chain"+tab+" '"+strings.Join(acts, "' '")+"'")
		acts = nil
	}
	for _, step := range slices.Concat(acts, later) {
		calls = append(calls, "pilotfish "+step+tab)
	}
	if at := len(done) - before; at < len(calls) {
		return calls[at]
	}
	return ""
}

// ref returns the ref of the element with a name in a snapshot.
func ref(snapshot, name string) string {
	found := regexp.MustCompile(`\b(e\d+) (?:\[.\]|\S+) ` + name + `\b`).FindStringSubmatch(snapshot)
	if found == nil {
		return "no-ref-of-" + name
	}
	return found[1]
}

// recite returns the next call of a list.
func recite(e job, done []called) string {
	if len(done) == len(e.byHand) {
		return ""
	}
	line := e.byHand[len(done)]
	if len(done) > 0 {
		line = strings.ReplaceAll(line, "TAB", regexp.MustCompile(`\bt\d+\b`).FindString(done[0].said))
	}
	return regexp.MustCompile(`<(\w+)>`).ReplaceAllStringFunc(line, func(name string) string {
		return ref(done[len(done)-1].said, strings.Trim(name, "<>"))
	})
}

// calls returns the calls of the shell in a conversation.
func calls(r model.Request) []called {
	var all []called
	at := map[string]int{}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			var input struct {
				Command string `json:"command"`
			}
			raw, _ := json.Marshal(c.Input)
			if c.Name == "Bash" && json.Unmarshal(raw, &input) == nil {
				at[c.ID] = len(all)
				all = append(all, called{command: input.Command})
			}
		}
		for _, result := range m.Results {
			if i, ok := at[result.ID]; ok {
				all[i].said = result.Text
			}
		}
	}
	return all
}

// A model that does what the skill says, and knows nothing else, needs no more calls
// than one that gets each call from somebody who knows the page. Claude finds the skill
// where `connect` has put it, and runs the calls in a real session.
func TestTheSkillNeedsNoMoreCalls(t *testing.T) {
	url := site(t)
	pilotfish, at := serve(t)
	var env []string
	for name, value := range at {
		env = append(env, name+"="+value)
	}
	// run returns the calls of one job.
	run := func(t *testing.T, e job, next func(text string, done []called) string, skill bool) []called {
		t.Helper()
		var last []called
		m := model.New(func(r model.Request) model.Reply {
			if !slices.Contains(r.Tools, "Bash") {
				return model.Reply{Text: "A test"}
			}
			text := ""
			for _, m := range r.Messages {
				if strings.Contains(m.Text, "# Pilotfish\n") {
					text = m.Text
				}
			}
			if skill && text == "" {
				if len(r.Messages) > 2 {
					return model.Reply{Text: "The skill has no text."}
				}
				return model.Reply{Calls: []model.Call{{Name: "Skill", Input: map[string]any{"skill": "pilotfish"}}}}
			}
			done := calls(r)
			last = done
			command := next(text, done)
			if command == "" {
				return model.Reply{Text: done[len(done)-1].said}
			}
			return model.Reply{Calls: []model.Call{{Name: "Bash", Input: map[string]any{"command": command, "description": "Use the browser"}}}}
		})
		defer m.Close()
		p := connectables(m)[0]
		u := newUser(t, p, env...)
		u.path(tool(t, "build", "bin"))
		if skill {
			u.run(pilotfish, "connect", "claude")
		}
		said := u.run("claude", "-p", "Do the job.", "--allowedTools", "Bash", "Skill")
		if !strings.Contains(said, e.answer) {
			t.Fatalf("it said %q, want %q; its calls:\n%+v", said, e.answer, last)
		}
		return last
	}
	for _, e := range jobs(url) {
		t.Run(e.name, func(t *testing.T) {
			byHand := run(t, e, func(_ string, done []called) string { return recite(e, done) }, false)
			bySkill := run(t, e, func(text string, done []called) string { return obey(text, e, url, done) }, true)
			t.Logf("%d calls with the skill, %d by hand", len(bySkill), len(byHand))
			if len(bySkill) > len(byHand) {
				t.Errorf("with the skill it needs %d calls, by hand %d:\n%+v", len(bySkill), len(byHand), bySkill)
			}
		})
	}
}
