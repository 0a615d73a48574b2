package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// act is one action of a step, made from what the model receives.
type act func(scene) do

// turn is one step of a scenario: what happens while the model is called, and the
// model's actions.
type turn struct {
	meanwhile func(*scenarios) error
	acts      []act
}

// scenario is a task on a page: what the model does, and how the test checks the
// result. The model ends the task as done when the page contains all of sees at
// the end and the model received all of reported on the way.
type scenario struct {
	name     string
	page     string
	turns    []turn
	sees     []string
	reported []string
	never    []string // must not be in any prompt
	// state and says are how it ends; done when they are empty.
	state protocol.TaskState
	says  string
	// meet is what the user does while the task runs; check checks the result.
	meet  func(*scenarios)
	check func(*scenarios)
	// asks answers prompts that offer no tool: the text to extract.
	asks []string
}

// scenarios runs scenarios in the shared product.
type scenarios struct {
	*product
	browser *tap.Client
	panel   *tap.Page
	hosted  *hosted
	pages   string

	// both is where two tasks wait for each other.
	both chan struct{}
	over <-chan struct{}

	mu   sync.Mutex
	now  *scenario
	last scene
	seen []string
}

// does is a turn of actions.
func does(acts ...act) turn { return turn{acts: acts} }

// on is an action on the element that a line of the page names.
func on(what, name string, more ...any) act {
	return func(s scene) do {
		d := do{"do": what, "ref": s.ref(name)}
		for i := 0; i+1 < len(more); i += 2 {
			d[more[i].(string)] = more[i+1]
			if to, ok := more[i+1].(elsewhere); ok {
				d[more[i].(string)] = s.ref(string(to))
			}
		}
		return d
	}
}

// elsewhere is an element given as a further argument.
type elsewhere string

// plain is an action without an element.
func plain(what string, more ...any) act {
	return func(scene) do {
		d := do{"do": what}
		for i := 0; i+1 < len(more); i += 2 {
			d[more[i].(string)] = more[i+1]
		}
		return d
	}
}

func click(name string, more ...any) act { return on("click", name, more...) }
func enter(name, text string, more ...any) act {
	return on("type", name, append([]any{"text", text}, more...)...)
}
func choose(name, option string) act { return on("select", name, "option", option) }

// taken returns how many steps the prompt reports.
func (s scene) taken() int {
	return len(regexp.MustCompile(`(?m)^\d+\. `).FindAllString(s.steps, -1))
}

// play is what the model does in the current scenario.
func (st *scenarios) play(s scene) model.Reply {
	st.mu.Lock()
	now := st.now
	st.last = s
	st.seen = append(st.seen, s.prompt)
	seen := strings.Join(st.seen, "\n")
	st.mu.Unlock()
	if n := s.taken(); n < len(now.turns) {
		t := now.turns[n]
		if t.meanwhile != nil {
			if err := t.meanwhile(st); err != nil {
				return finish(false, err.Error())
			}
		}
		actions := make([]do, 0, len(t.acts))
		for _, a := range t.acts {
			actions = append(actions, a(s))
		}
		return step(actions...)
	}
	for _, text := range now.sees {
		if !strings.Contains(s.page, text) {
			return finish(false, fmt.Sprintf("The page does not say %q.", text))
		}
	}
	for _, text := range now.reported {
		if !strings.Contains(seen, text) {
			return finish(false, fmt.Sprintf("Nothing tells %q.", text))
		}
	}
	return finish(true, "All is as it should be.")
}

// newScenarios opens Task in the shared product, with a model set up.
func newScenarios(t *testing.T) *scenarios {
	t.Helper()
	st := &scenarios{pages: scenarioSite(t), both: make(chan struct{}), over: t.Context().Done()}
	st.hosted = newHosted(t, map[string]func(scene) model.Reply{"Scenario:": st.play, "Pair": st.pair})
	st.hosted.answer = func(model.Request) string {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.now == nil || len(st.now.asks) == 0 {
			return "OK"
		}
		said := st.now.asks[0]
		st.now.asks = st.now.asks[1:]
		return said
	}
	st.product, st.browser, st.panel = shared(t)
	st.useModel(st.panel, st.hosted.front.URL+"/v1")
	st.toTask(st.panel)
	return st
}

// run runs scenarios one after the other; with -short, every second one.
func (st *scenarios) run(t *testing.T, all []scenario) {
	t.Helper()
	whole := st.product
	for i, one := range all {
		if testing.Short() && i%2 == 1 {
			continue
		}
		passed := t.Run(one.name, func(t *testing.T) {
			st.product = whole.within(t)
			st.scenario(&one)
		})
		if !passed {
			break // the next one would start in the state of this one
		}
	}
	st.product = whole
}

func (st *scenarios) scenario(one *scenario) {
	st.t.Helper()
	st.mu.Lock()
	st.now, st.seen, st.last = one, nil, scene{}
	st.mu.Unlock()
	st.task(st.panel, st.pages+one.page, "Scenario: "+one.name)
	if one.meet != nil {
		one.meet(st)
	}
	state := one.state
	if state == "" {
		state = protocol.TaskDone
	}
	defer func() {
		if st.t.Failed() {
			st.mu.Lock()
			defer st.mu.Unlock()
			st.t.Logf("the last prompt:\n%s", st.last.prompt)
			// Stop this one, so that the next scenario does not find it running.
			_ = st.panel.Eval(st.ctx, `[...document.querySelectorAll('button')].filter((b) => ['Deny', 'Stop'].includes(b.textContent.trim())).forEach((b) => b.click())`, nil)
		}
	}()
	if said := st.ended(st.panel, state); !strings.Contains(said, one.says) {
		st.t.Errorf("the task ends with %q, not with %q", said, one.says)
	}
	st.mu.Lock()
	prompts := strings.Join(st.seen, "\n")
	st.mu.Unlock()
	if strings.Contains(prompts, "undefined") {
		st.t.Error("a prompt says undefined")
	}
	if named := regexp.MustCompile(`.*pilotfish [a-z].*`).FindString(prompts); named != "" {
		st.t.Errorf("a prompt names a command that the model does not have: %s", named)
	}
	for _, text := range one.never {
		if strings.Contains(prompts, text) {
			st.t.Errorf("a prompt has %q", text)
		}
	}
	if one.check != nil {
		one.check(st)
	}
}

// command runs the command line while the model is called.
func command(args ...string) func(*scenarios) error {
	return func(st *scenarios) error {
		if out, err := st.cliRun(args...); err != nil {
			return fmt.Errorf("pilotfish %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
}

// scenarioSite serves the pages of the scenarios.
func scenarioSite(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	html := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html>"+body)
		})
	}
	html("/landed", `<title>Landed</title><h1>You have landed</h1><a href="/away.html">Home</a>`)
	html("/opened", `<title>Opened</title><h1>A page of its own</h1>`)
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		// Make the browser wait.
		select {
		case <-time.After(1200 * time.Millisecond):
		case <-r.Context().Done():
		}
		_, _ = fmt.Fprint(w, "<!doctype html><title>Slow</title><h1>It came at last</h1>")
	})
	mux.HandleFunc("GET /hops", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/landed", http.StatusFound)
	})
	mux.HandleFunc("GET /report.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=report.csv")
		_, _ = fmt.Fprint(w, "a,b\n1,2\n")
	})
	mux.HandleFunc("GET /paper.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, paper)
	})
	for _, library := range []string{"mui", "antd", "radix", "select2"} {
		script := filepath.Join(repoRoot(t), "build/cache/components", library+".js")
		if _, err := os.Stat(script); err != nil {
			t.Fatalf("the component libraries are not built; run make test: %v", err)
		}
		mux.HandleFunc("GET /"+library+".js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, script) })
		html("/"+library, `<meta charset=utf-8><title>`+library+`</title><div id=root></div><script src="/`+library+`.js"></script>`)
	}
	mux.Handle("GET /", http.FileServer(http.Dir("testdata/task")))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// paper is a PDF of one empty page.
const paper = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
