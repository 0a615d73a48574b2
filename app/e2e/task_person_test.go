package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/protocol"
)

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

// TestTaskMeets tests what a task meets: a model that never answers, a question to the
// user, and a tab that the app has no way into.
func TestTaskMeets(t *testing.T) {
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{
		"Ask": func(s scene) model.Reply {
			if s.first() {
				return step(do{"do": "ask", "question": "Which city?"})
			}
			_, answer, _ := strings.Cut(s.steps, "The person answers: ")
			answer, _, _ = strings.Cut(answer, "\n")
			return finish(true, "They said "+answer)
		},
		"Reach": reachByPage,
		"Fill":  fill,
	})
	whole, browser, panel := shared(t)
	whole.useModel(panel, m.front.URL+"/v1")
	whole.toTask(panel)
	run := func(name string, meet func(*testing.T, *product)) {
		t.Run(name, func(t *testing.T) { meet(t, whole.within(t)) })
	}
	run("a model that hangs, and Stop", func(t *testing.T, p *product) {
		t.Helper()
		asked := make(chan struct{})
		m.expect(hanging(asked))
		p.task(panel, pages+"/form", "Reach in vain")
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
	run("a tab that the app has no way into", func(t *testing.T, p *product) {
		t.Helper()
		actByPage(t, p, m, browser, panel, pages)
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
