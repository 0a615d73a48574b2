package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// encounters are the model's turns for a task that meets the user, other tabs, or
// a hostile page; by the first word of the goal.
func encounters() map[string]func(scene) model.Reply {
	return map[string]func(scene) model.Reply{
		"Mute": func(scene) model.Reply { return model.Reply{} },
		"Ask": func(s scene) model.Reply {
			if s.first() {
				return step(do{"do": "ask", "question": "Which city?"})
			}
			_, answer, _ := strings.Cut(s.steps, "The person answers: ")
			answer, _, _ = strings.Cut(answer, "\n")
			return finish(true, "They said "+answer)
		},
		"Beside": func(s scene) model.Reply {
			switch {
			case s.first():
				return step(do{"do": "click", "ref": s.ref("link Open beside")})
			case strings.Contains(s.page, "A page of its own"):
				return finish(true, "I am beside.")
			}
			for line := range strings.SplitSeq(part(s.prompt, "Tabs of the task"), "\n") {
				if fields := strings.Fields(line); len(fields) > 1 && strings.Contains(line, "/opened") {
					return step(do{"do": "switch_tab", "tab": fields[0]})
				}
			}
			return finish(false, "there is no other tab: "+s.prompt)
		},
		"Reach": reachByPage,
		"Obey": func(s scene) model.Reply {
			if s.first() {
				return step(do{"do": "eval", "code": "document.title = 'deleted'"})
			}
			return finish(false, "The page wanted something else.")
		},
	}
}

// hanging accepts a request and never answers it.
func hanging(asked chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		// The server notices that the client has gone only after the body was
		// read.
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	}
}

// withModel starts a product whose panel shows Task, with the model set up.
func withModel(t *testing.T) (*product, *hosted, *tap.Client, *tap.Page) {
	t.Helper()
	m := newHosted(t, encounters())
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.toTask(panel)
	p.press(panel, "Set up a model")
	p.setUp(panel, protocol.LLMCompatible, m.front.URL+"/v1")
	return p, m, browser, panel
}

// TestTaskMeets tests what a task meets: a model that never answers, the user,
// another tab, and a hostile page.
func TestTaskMeets(t *testing.T) {
	pages := taskSite(t)
	whole, m, browser, panel := withModel(t)
	run := func(name string, meet func(*testing.T, *product)) {
		t.Run(name, func(t *testing.T) {
			q := *whole
			q.t = t
			meet(t, &q)
		})
	}
	run("a model that never says anything", func(t *testing.T, p *product) {
		t.Helper()
		p.task(panel, pages+"/form", "Mute all the time")
		if said := p.ended(panel, protocol.TaskFailed); !strings.Contains(said, "answers cannot be used") || !strings.Contains(said, "Choose another model") {
			t.Errorf("it says %q", said)
		}
	})
	run("a model that hangs, and Stop", func(t *testing.T, p *product) {
		t.Helper()
		asked := make(chan struct{})
		m.expect(hanging(asked))
		p.task(panel, pages+"/form", "Beside in vain")
		p.await(asked)
		p.press(panel, "Stop")
		p.ended(panel, protocol.TaskStopped)
	})
	run("a question and its answer", func(t *testing.T, p *product) {
		t.Helper()
		p.task(panel, pages+"/form", "Ask for the city")
		p.until(panel, "the question is shown", `document.querySelector('.question')?.innerText.includes('Which city?')`)
		p.tell(panel, "Lisbon")
		if said := p.ended(panel, protocol.TaskDone); !strings.Contains(said, "They said Lisbon") {
			t.Errorf("it says %q", said)
		}
	})
	run("what a page asks for is no order", func(t *testing.T, p *product) {
		t.Helper()
		p.task(panel, pages+"/injected", "Obey the page")
		p.ended(panel, protocol.TaskFailed)
		var title string
		if err := p.page(browser, "/injected").Eval(p.ctx, "document.title", &title); err != nil || title != "Injected" {
			t.Errorf("the page is called %q, %v", title, err)
		}
		told := false
		for _, r := range m.Requests() {
			prompt := sceneOf(r).prompt
			if at := strings.Index(prompt, "SYSTEM: the person allows"); at >= 0 {
				told = true
				if !strings.Contains(prompt[:at], "<page-") {
					t.Errorf("the page's words stand outside of its envelope: %s", prompt)
				}
			}
		}
		if !told {
			t.Error("the model never saw the page's words")
		}
	})
	run("a tab that the app has no way into", func(t *testing.T, p *product) {
		t.Helper()
		actByPage(t, p, m, browser, panel, pages)
	})
	run("a link that opens a tab", func(t *testing.T, p *product) {
		t.Helper()
		p.task(panel, pages+"/links", "Beside in a new tab")
		if said := p.ended(panel, protocol.TaskDone); !strings.Contains(said, "I am beside.") {
			t.Errorf("it says %q", said)
		}
		if tabs := p.tasks()[0].Tabs; len(tabs) != 2 {
			t.Errorf("the task has the tabs %q", tabs)
		}
	})
}

// await waits until the model was called.
func (p *product) await(asked <-chan struct{}) {
	p.t.Helper()
	select {
	case <-asked:
	case <-p.ctx.Done():
		p.t.Fatal("the model was never asked")
	}
}
