// Package tasks measures the steps of a task, and an idle tab.
package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/backend/protocol"
)

// taskScrolls is how far each step scrolls, in pixels.
const taskScrolls = 300

// noTaskPeer says why the rows of a step have no reference.
const noTaskPeer = "no reference: the extension of page-agent is not on npm"

// Benches measure a task in the panel of the whole product.
func Benches() []report.Bench {
	return []report.Bench{{Rows: []string{"task.click", "task.type", "task.scroll"}, Run: benchTask}}
}

// taskPlay is one task: what it does in each of its steps.
type taskPlay struct {
	row, goal string
	// step is the model's action for a step, from the page that it receives.
	step func(page string, i int) (map[string]any, error)
	// shown is the text that the page must show after step i.
	shown func(i int) string
	// done is a script that is true when n steps were done to the page.
	done func(n int) string
}

func taskPlays() []taskPlay {
	typed := func(i int) string { return fmt.Sprintf("%020d", i) }
	return []taskPlay{
		{
			"task.click", "Click",
			func(page string, _ int) (map[string]any, error) {
				ref, err := peers.RefIn(page, "Add")
				return map[string]any{"do": "click", "ref": ref}, err
			},
			func(i int) string { return fmt.Sprintf("Clicked %d", i) },
			func(n int) string { return fmt.Sprintf("clicked.join() === '%s'", strings.Repeat(",true", n)[1:]) },
		}, {
			"task.type", "Type",
			func(page string, i int) (map[string]any, error) {
				ref, err := peers.RefIn(page, "Name")
				return map[string]any{"do": "type", "ref": ref, "text": typed(i)}, err
			},
			func(i int) string { return `="` + typed(i) + `"` },
			func(n int) string { return fmt.Sprintf("keys >= %d && f.value === '%s'", 20*n, typed(n)) },
		}, {
			"task.scroll", "Scroll",
			func(string, int) (map[string]any, error) {
				return map[string]any{"do": "scroll", "down": taskScrolls}, nil
			},
			func(i int) string { return fmt.Sprintf("[↑%d ", taskScrolls*i) },
			func(n int) string { return fmt.Sprintf("scrollY === %d", taskScrolls*n) },
		},
	}
}

// taskPage counts what is really done to it: untrusted clicks and keys do not
// count.
const taskPage = `<!doctype html><title>Bench</title><link rel=icon href='data:,'>
<button id=b>Add</button> <output id=n></output> <label>Name <input id=f></label>
<div style="height:20000px">Far down</div>
<script>
const clicked = []
let keys = 0
b.onclick = (e) => { clicked.push(e.isTrusted); n.textContent = 'Clicked ' + clicked.length }
f.onkeydown = (e) => { if (e.isTrusted) keys++ }
</script>`

// player is the model: it answers at once, and records when it was asked.
type player struct {
	mu    sync.Mutex
	play  taskPlay
	steps int
	asked []time.Time
	wrong error
	// over is closed when the model ends the task.
	over chan struct{}
}

// begin starts the next task.
func (p *player) begin(play taskPlay, steps int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.play, p.steps, p.asked, p.wrong, p.over = play, steps, nil, nil, make(chan struct{})
	return p.over
}

// answer returns one turn. It checks that the page shows the effect of the last
// one.
func (p *player) answer(r model.Request) model.Reply {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(r.Tools) == 0 || p.over == nil {
		return model.Reply{Text: "OK"}
	}
	p.asked = append(p.asked, now)
	i := len(p.asked)
	_, page, _ := strings.Cut(r.Messages[len(r.Messages)-1].Text, "\n# The page in")
	var do map[string]any
	if i > 1 && !strings.Contains(page, p.play.shown(i-1)) {
		p.wrong = fmt.Errorf("after step %d the page does not show %q: %.500s", i-1, p.play.shown(i-1), page)
	} else if i <= p.steps {
		do, p.wrong = p.play.step(page, i)
	}
	if p.wrong != nil || i > p.steps {
		do = map[string]any{"do": "done", "success": p.wrong == nil, "text": "That is all."}
		close(p.over)
		p.over = nil
	}
	return model.Reply{Calls: []model.Call{{Name: "step", Input: map[string]any{
		"evaluation": "As expected.", "memory": "Nothing to remember.", "goal": "Go on.", "actions": []any{do},
	}}}}
}

// took returns the times between requests, in ms: a complete step plus an answer
// that costs nothing. The first step is left out, because page and model are new
// to it.
func (p *player) took() ([]float64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []float64
	for i := 2; i < len(p.asked); i++ {
		out = append(out, report.MS(p.asked[i].Sub(p.asked[i-1])))
	}
	return out, p.wrong
}

// benchTask makes the panel of the whole product run a task for each row.
func benchTask(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	steps := 30 // a task may take 40
	if o.Quick {
		steps = 8
	}
	who := &player{}
	fake := model.New(who.answer)
	defer fake.Close()
	front, err := keyed(fake.URL())
	if err != nil {
		return nil, err
	}
	defer front.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, taskPage)
	}))
	defer site.Close()
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := s.StartWith(ctx, func(config string) error { return writeModels(config, front.URL+"/v1") })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	for _, play := range taskPlays() {
		if err := runTask(ctx, p, site.URL, who, play, steps); err != nil {
			return rows, fmt.Errorf("%s: %w", play.row, err)
		}
		took, _ := who.took() // its error was already returned
		r := report.Row{Name: play.row, Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs, Notes: []string{noTaskPeer}}
		rows = append(rows, r.With99(report.Percentile(took, 0.99)))
	}
	return rows, nil
}

// runTask types a goal into the panel like a user, and returns when the task is
// done and the page confirms it.
func runTask(ctx context.Context, p *product.App, address string, who *player, play taskPlay, steps int) error {
	if err := p.Command(ctx, "t1", "goto", map[string]any{"url": address + "/" + play.row}, nil); err != nil {
		return err
	}
	over := who.begin(play, steps)
	if err := p.Eval(ctx, product.PanelScript+`;`+taskFieldScript, nil); err != nil {
		return fmt.Errorf("finding where a task is written: %w", err)
	}
	if err := p.Panel.Type(ctx, play.goal+"\n"); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, product.ProductPatience)
	defer cancel()
	select {
	case <-over:
	case <-within.Done():
		var text string
		_ = p.Panel.Eval(ctx, "document.body.innerText", &text)
		return fmt.Errorf("the model was not asked to the end; the panel shows: %s", text)
	}
	if _, err := who.took(); err != nil {
		return err
	}
	if err := product.Until(ctx, func() error {
		var list protocol.TaskListReply
		if err := p.Post(ctx, "/task/list", protocol.TaskListRequest{}, &list); err != nil {
			return err
		}
		if len(list.Tasks) == 0 || list.Tasks[0].Goal != play.goal || list.Tasks[0].State != protocol.TaskDone || list.Tasks[0].Steps != steps+1 {
			return fmt.Errorf("the tasks are %+v", list.Tasks)
		}
		return nil
	}); err != nil {
		return err
	}
	page, err := p.Client.Attach(ctx, address+"/"+play.row)
	if err != nil {
		return err
	}
	var good bool
	if err := page.Eval(ctx, play.done(steps), &good); err != nil || !good {
		return errors.Join(err, fmt.Errorf("the page was not done %d steps to, by its own count", steps))
	}
	return nil
}

// taskFieldScript opens the Task face and the input for a new task.
const taskFieldScript = `(async () => {
	const shown = (selector, has) => bench.until(() => [...document.querySelectorAll(selector)].find((one) => one.checkVisibility() && has(one)))
	const [, face] = await shown('[aria-label=Faces] [role=tab]', (one) => one.textContent.trim() === 'Task')
	face.click()
	const anew = [...document.querySelectorAll('button')].find((one) => one.checkVisibility() && (one.ariaLabel ?? one.textContent).trim() === 'New task')
	anew?.click()
	await bench.until(() => !document.querySelector('.goal'))
	const [, field] = await shown('form textarea', () => true)
	await shown('select[aria-label=Model]', (one) => one.value !== '')
	field.focus()
})()`

// keyed is a proxy that adds the fake model's key to requests: the provider in
// the settings needs no key.
func keyed(to string) (*httptest.Server, error) {
	behind, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	return httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Header.Set("Authorization", "Bearer "+model.Key)
	}}), nil
}

// writeModels writes a model profile, as the panel's form would.
func writeModels(config, address string) error {
	profile := protocol.LLMProfile{
		ID: "bench", Name: "Bench", Provider: protocol.LLMLlamaCpp, URL: address, Model: "fake-model",
		For: []string{protocol.ForTask, protocol.ForProgram, protocol.ForSummary},
	}
	data, err := json.Marshal(map[string]any{"version": 1, "profiles": []protocol.LLMProfile{profile}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(config, "models.json"), data, 0o600)
}
