package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// taskPages are the pages that the tasks work on.
var taskPages = map[string]string{ //nolint:gochecknoglobals // data of the tests
	"/form": `<!doctype html><title>Form</title><h1>Order</h1>
		<form onsubmit="event.preventDefault(); out.textContent = 'Saved: ' + [n.value, c.value, news.checked ? 'with news' : 'without news'].join(', ')">
		<label>Name <input id=n></label>
		<label>City <select id=c><option>Paris<option>Berlin</select></label>
		<label><input id=news type=checkbox> News</label>
		<button>Save</button></form><p id=out role=status></p>`,
	"/board":  board,
	"/landed": `<!doctype html><title>Landed</title><h1>You have landed</h1>`,
}

func taskSite(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page, ok := taskPages[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = fmt.Fprint(w, page)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// toTask opens the Task face.
func (p *product) toTask(panel *tap.Page) {
	p.t.Helper()
	const face = `[...document.querySelectorAll('[aria-label=Faces] [role=tab]')].find((one) => one.textContent.trim() === 'Task')`
	p.until(panel, "the faces are there", face)
	p.do(panel, face+".click()")
	p.until(panel, "the face of Task is there", `document.querySelector('[aria-label="New task"]')`)
}

// do evaluates a script in a page for its effect.
func (p *product) do(page *tap.Page, script string) {
	p.t.Helper()
	if err := page.Eval(p.ctx, script, nil); err != nil {
		p.t.Fatal(err)
	}
}

// control is the expression for the control with a label.
func control(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('label')].find((l) => l.checkVisibility() && l.textContent.trim() === %s).control`, strconv.Quote(label))
}

// enter types into the control with a label, and replaces its text.
func (p *product) enter(panel *tap.Page, label, text string) {
	p.t.Helper()
	p.until(panel, "there is a field "+label, control(label))
	p.do(panel, control(label)+".select()")
	if err := panel.Type(p.ctx, text); err != nil {
		p.t.Fatal(err)
	}
}

// setUp creates a model profile through the panel's own form.
func (p *product) setUp(panel *tap.Page, provider protocol.LLMProvider, address string) {
	p.t.Helper()
	p.setUpModel(panel, provider, address, "fake-model")
}

// setUpModel is setUp with the name of the model.
func (p *product) setUpModel(panel *tap.Page, provider protocol.LLMProvider, address, name string) {
	p.t.Helper()
	p.until(panel, "the providers are there", fmt.Sprintf(`[...%s.options].some((o) => o.value === %q)`, control("Provider"), provider))
	p.do(panel, fmt.Sprintf(`{ const s = %s; s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})) }`, control("Provider"), provider))
	if provider != protocol.LLMCompatible {
		p.press(panel, "Use another address")
	}
	p.enter(panel, "Address", address)
	p.enter(panel, "Key", model.Key)
	p.enter(panel, "Model", name)
	p.press(panel, "Test")
	p.until(panel, "the model was tested", `document.querySelector('.verdict')`)
	p.until(panel, "the model answers", `document.querySelector('.verdict.ok')`)
	p.press(panel, "Save")
	p.until(panel, "the form is closed", `![...document.querySelectorAll('h2')].some((h) => /model/.test(h.textContent) && h.checkVisibility() && h.closest('form'))`)
}

// taskField is the expression for the input of a task.
const taskField = `[...document.querySelectorAll('form textarea')].find((one) => one.checkVisibility())`

// tell types into the input of Task and presses Enter.
func (p *product) tell(panel *tap.Page, text string) {
	p.t.Helper()
	p.until(panel, "there is something to write into", taskField)
	p.do(panel, taskField+".focus()")
	if err := panel.Type(p.ctx, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// task starts a new task on a page.
func (p *product) task(panel *tap.Page, address, goal string) {
	p.t.Helper()
	p.cli("tab", "t1")
	p.cli("goto", "--tab", "t1", address)
	p.press(panel, "New task")
	p.until(panel, "the last task is put away", `!document.querySelector('.goal')`)
	p.tell(panel, goal)
	p.until(panel, "the task is shown", fmt.Sprintf(`document.querySelector('.goal')?.textContent === %s`, strconv.Quote(goal)))
}

// ended waits for the task's end and returns its text.
func (p *product) ended(panel *tap.Page, state protocol.TaskState) string {
	p.t.Helper()
	p.until(panel, "the task has ended", `document.querySelector('.end')`)
	var said string
	if err := panel.Eval(p.ctx, `document.querySelector('.end').className + '|' + document.querySelector('.end').innerText`, &said); err != nil {
		p.t.Fatal(err)
	}
	class, text, _ := strings.Cut(said, "|")
	if !strings.Contains(class, string(state)) {
		p.t.Fatalf("the task ended otherwise than %s: %s: %s\n%s", state, class, text, p.shown(panel))
	}
	return text
}

// shown returns all text of the panel.
func (p *product) shown(panel *tap.Page) string {
	p.t.Helper()
	var text string
	if err := panel.Eval(p.ctx, `document.body.innerText`, &text); err != nil {
		p.t.Fatal(err)
	}
	return text
}

// tasks returns the tasks from the backend, newest first.
func (p *product) tasks() []protocol.Task {
	p.t.Helper()
	var reply protocol.TaskListReply
	p.request("/task/list", protocol.TaskListRequest{}, &reply)
	return reply.Tasks
}

// fill is what a model does with the form: fields first, then the button.
func fill(s scene) model.Reply {
	if !s.first() {
		return s.checked("Saved: Ada, Berlin, with news")
	}
	return step(
		do{"do": "type", "ref": s.ref("edit Name"), "text": "Ada"},
		do{"do": "select", "ref": s.ref("select City"), "option": "Berlin"},
		do{"do": "check", "ref": s.ref("[ ] News")},
		do{"do": "click", "ref": s.ref("btn Save")},
	)
}

// TestTaskFillsForm sets up a model of each wire format in the panel, and a task
// fills a form.
func TestTaskFillsForm(t *testing.T) {
	for _, one := range []struct {
		api      string
		provider protocol.LLMProvider
	}{{model.OpenAI, protocol.LLMCompatible}, {model.Anthropic, protocol.LLMAnthropic}} {
		t.Run(one.api, func(t *testing.T) {
			pages := taskSite(t)
			m := newHosted(t, map[string]func(scene) model.Reply{"Fill": fill, "See": see})
			p, browser, panel := shared(t)
			p.toTask(panel)
			p.press(panel, "Set up a model")
			p.setUp(panel, one.provider, m.front.URL+"/v1")
			p.task(panel, pages+"/form", "Fill this form for Ada")
			p.ended(panel, protocol.TaskDone)

			var saved string
			if err := p.page(browser, "/form").Eval(p.ctx, `document.getElementById('out').textContent`, &saved); err != nil || saved != "Saved: Ada, Berlin, with news" {
				t.Errorf("the page says %q, %v", saved, err)
			}
			for _, r := range m.Requests() {
				if r.API != one.api {
					t.Errorf("a request came as %s", r.API)
				}
			}
			if refused := m.Refused(); len(refused) > 0 {
				t.Errorf("refused: %q", refused)
			}
			tasks := p.tasks()
			if len(tasks) != 1 || tasks[0].State != protocol.TaskDone || tasks[0].Steps != 2 || tasks[0].Tokens == 0 {
				t.Errorf("the journal has %+v", tasks)
			}
			p.notStored(model.Key)

			if seen := pictures(t, m.Requests()); len(seen) > 0 {
				t.Errorf("a model that sees none was sent %d pictures", len(seen))
			}
			p.press(panel, "Change the model")
			p.until(panel, "the form is there", `(document.querySelector('details.more') ?? {}).open = true`)
			p.until(panel, "images can be chosen", control("The model accepts images"))
			p.do(panel, control("The model accepts images")+".click()")
			p.press(panel, "Save")
			p.task(panel, pages+"/landed", "See the page")
			p.ended(panel, protocol.TaskDone)
			seen := pictures(t, m.Requests())
			if len(seen) != 1 || seen[0].Width < 300 || seen[0].Height < 300 {
				t.Errorf("a model that sees was sent %+v", seen)
			}
		})
	}
}

// see is a model that looks at a screenshot.
func see(s scene) model.Reply {
	if s.first() {
		return step(do{"do": "screenshot"})
	}
	return finish(true, "I have seen it.")
}

// pictures returns the images in requests of either wire format.
func pictures(t *testing.T, requests []model.Request) (found []image.Config) {
	t.Helper()
	for _, r := range requests {
		var body struct {
			Messages []struct {
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(r.Raw, &body); err != nil {
			t.Fatal(err)
		}
		for _, message := range body.Messages {
			var parts []struct {
				Type  string `json:"type"`
				Image struct {
					URL string `json:"url"`
				} `json:"image_url"`
				Source struct {
					Type string `json:"type"`
					Kind string `json:"media_type"`
					Data string `json:"data"`
				} `json:"source"`
			}
			if json.Unmarshal(message.Content, &parts) != nil {
				continue // plain text
			}
			for _, part := range parts {
				data, ok := "", false
				switch {
				case part.Type == "image_url" && r.API == model.OpenAI:
					data, ok = strings.CutPrefix(part.Image.URL, "data:image/jpeg;base64,")
				case part.Type == "image" && r.API == model.Anthropic:
					data, ok = part.Source.Data, part.Source.Type == "base64" && part.Source.Kind == "image/jpeg"
				default:
					continue
				}
				raw, err := base64.StdEncoding.DecodeString(data)
				if err != nil || !ok {
					t.Fatalf("a picture in a form that %s does not take: %+v, %v", r.API, part, err)
				}
				config, err := jpeg.DecodeConfig(bytes.NewReader(raw))
				if err != nil {
					t.Fatalf("what was sent is no JPEG: %v", err)
				}
				found = append(found, config)
			}
		}
	}
	return found
}

// notStored checks that no file below the product's home contains a secret: not the
// browser's profile, the journals or the logs.
func (p *product) notStored(secret string) {
	p.t.Helper()
	err := filepath.WalkDir(p.home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // a browser's files come and go
		}
		data, err := os.ReadFile(path) //nolint:gosec // the test's own folder
		if err == nil && bytes.Contains(data, []byte(secret)) {
			p.t.Errorf("the key stands in %s", path)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
}
