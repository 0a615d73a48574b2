package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pilotfish/app/agents/fakes/model"
)

// scene is everything that a model for tasks receives in one turn.
type scene struct {
	prompt string
	// goal is the user's text.
	goal string
	// steps is the prompt's report of the steps so far.
	steps string
	// now is the prompt's report of background events.
	now string
	// page is the snapshot in the prompt.
	page string
}

// part returns the text below a heading of the prompt.
func part(prompt, heading string) string {
	_, rest, found := strings.Cut("\n"+prompt, "\n# "+heading)
	if !found {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "\n")
	body, _, _ := strings.Cut(rest, "\n\n# ")
	return body
}

func sceneOf(r model.Request) scene {
	prompt := r.Messages[len(r.Messages)-1].Text
	return scene{
		prompt: prompt, goal: part(prompt, "Goal"), steps: part(prompt, "Steps so far"),
		now: part(prompt, "Now"), page: part(prompt, "The page in"),
	}
}

// ref finds an element's ref by the text of its line, such as "btn Save", as a
// model does.
func (s scene) ref(name string) string {
	found := regexp.MustCompile(`(?m)^\s*(\S+) ` + regexp.QuoteMeta(name) + `\b`).FindStringSubmatch(s.page)
	if found == nil {
		return "no " + name
	}
	return found[1]
}

// first reports whether no step was taken yet.
func (s scene) first() bool { return s.steps == "" }

// do is one action of a step.
type do map[string]any

// step answers with the step tool of the panel.
func step(actions ...do) model.Reply {
	return model.Reply{Calls: []model.Call{{Name: "step", Input: stepInput(actions...)}}}
}

func stepInput(actions ...do) map[string]any {
	return map[string]any{"evaluation": "As expected.", "memory": "Nothing to remember.", "goal": "Do what comes next.", "actions": actions}
}

// finish ends a task.
func finish(success bool, text string) model.Reply {
	return step(do{"do": "done", "success": success, "text": text})
}

// checked ends a task, with success when the page contains a text.
func (s scene) checked(text string) model.Reply {
	if strings.Contains(s.page, text) {
		return finish(true, "The page says: "+text)
	}
	return finish(false, "The page does not say: "+text)
}

// hosted is a fake model with a proxy in front, for failures.
type hosted struct {
	*model.Model
	front *httptest.Server

	// answer answers prompts that offer no tool; "OK" when it is nil.
	answer func(model.Request) string

	mu      sync.Mutex
	trouble []http.HandlerFunc
	asked   int
}

// newHosted starts a model that selects from plays by the first word of the goal.
func newHosted(t *testing.T, plays map[string]func(scene) model.Reply) *hosted {
	t.Helper()
	h := &hosted{}
	h.Model = model.New(func(r model.Request) model.Reply {
		if len(r.Tools) == 0 {
			if h.answer != nil {
				return model.Reply{Text: h.answer(r)}
			}
			return model.Reply{Text: "OK"}
		}
		s := sceneOf(r)
		word, _, _ := strings.Cut(s.goal, " ")
		play, ok := plays[word]
		if !ok {
			return finish(false, "I do not know how to "+word)
		}
		return play(s)
	})
	t.Cleanup(h.Close)
	behind, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	h.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handle := h.next(); handle != nil {
			handle(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.front.CloseClientConnections()
		h.front.Close()
	})
	return h
}

func (h *hosted) next() http.HandlerFunc {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if len(h.trouble) == 0 {
		return nil
	}
	handle := h.trouble[0]
	h.trouble = h.trouble[1:]
	return handle
}

// count returns how many requests there were.
func (h *hosted) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// expect sends the next requests to the handlers instead of the model.
func (h *hosted) expect(handlers ...http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = append(h.trouble, handlers...)
}

// refusing answers with a status, and how long to wait.
func refusing(status int, wait string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if wait != "" {
			w.Header().Set("Retry-After", wait)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": fmt.Sprintf("the model is in trouble (%d)", status), "type": "server_error"}})
	}
}
