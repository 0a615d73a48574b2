package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// running is a running command line.
type running struct {
	cmd *exec.Cmd
	out bytes.Buffer // all its output; read after it has ended
}

// cliStart starts the command line and returns at once.
func (p *product) cliStart(args ...string) *running {
	p.t.Helper()
	r := &running{cmd: p.shell(args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	if err := r.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// shell returns the command line as a user in a shell runs it.
func (p *product) shell(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.ctx, filepath.Join(repoRoot(p.t), "build/bin/pilotfish"), args...)
	cmd.Env = append(p.desk.Env(), protocol.EnvHome+"="+p.home, "PILOTFISH_NO_AUTOSTART=1")
	return cmd
}

// end waits for its end and returns its output and its exit code.
func (r *running) end() (said string, code int) {
	_ = r.cmd.Wait() // the exit code has it
	return r.out.String(), r.cmd.ProcessState.ExitCode()
}

// newest returns the task that was started last, from `task list --json`.
func (p *product) newest() protocol.Task {
	p.t.Helper()
	var reply protocol.TaskListReply
	out := p.cli("task", "list", "--json")
	if err := json.Unmarshal([]byte(out), &reply); err != nil || len(reply.Tasks) == 0 {
		p.t.Fatalf("task list: %v\n%s", err, out)
	}
	return reply.Tasks[0]
}

// hurry has a limit of six steps, and is notified when five and when one of
// them are left.
func hurry(s scene) model.Reply {
	notices := map[int]string{1: "Only 5 steps are left.", 5: "Only 1 step is left."}
	switch n := s.taken(); {
	case notices[n] == "" && strings.Contains(s.now, "Only "), !strings.Contains(s.now, notices[n]):
		return finish(false, "after "+s.steps+" it was told: "+s.now)
	case n == 5:
		return finish(true, "I was told twice.")
	}
	return step(do{"do": "tabs"})
}

// TestTaskFromPrograms starts tasks in a real panel from the command line and
// over MCP, follows them, stops them, and disconnects from them.
func TestTaskFromPrograms(t *testing.T) {
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{"Fill": fill, "Hurry": hurry})
	whole, browser, panel := shared(t)
	if out, err := whole.cliRun("task", "run", "Fill this form", "--tab", "t1"); err == nil || !strings.Contains(out, "none is set up") {
		t.Errorf("without a model: %s, %v", out, err)
	}
	whole.cli("goto", "--tab", "t1", pages+"/form")
	plainly(t, whole, browser, panel)
	// The panel looks for a key of an older version once, when the face is first
	// shown. That may be as soon as the panel is open, so write the key before.
	leaveKey(whole, panel, m.front.URL+"/v1")
	closePanel(whole, browser)
	whole.eventually("the panel's page is gone", func() bool { return !whole.hasPage(browser, "panel.html") })
	whole.clickIcon(browser)
	panel = whole.connectedPanel(browser)
	leftKey(whole, panel)
	whole.cli("goto", "--tab", "t1", pages+"/form")
	run := func(name string, meet func(*testing.T, *product)) {
		t.Run(name, func(t *testing.T) {
			p := *whole
			p.t = t
			meet(t, &p)
		})
	}

	run("line by line to its end", func(t *testing.T, p *product) {
		t.Helper()
		out := p.cli("task", "run", "Fill this form for Ada", "--tab", "t1")
		for _, want := range []string{"on t1\n", "\n1. Do what comes next.\n", "\n   click btn Save", ": done, step 2 of 40", "Saved: Ada, Berlin, with news"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in:\n%s", want, out)
			}
		}
		// Typed text may be a secret.
		if strings.Contains(out, "type edit Name: Ada") {
			t.Errorf("it says what was typed:\n%s", out)
		}
		saved(t, p, browser)
	})
	run("the last steps are announced", func(t *testing.T, p *product) {
		t.Helper()
		if out := p.cli("task", "run", "Hurry up", "--tab", "t1", "--steps", "6"); !strings.Contains(out, "I was told twice.") {
			t.Errorf("it says:\n%s", out)
		}
	})
	run("one result as JSON", func(t *testing.T, p *product) {
		t.Helper()
		p.cli("reload", "--tab", "t1")
		var reply protocol.TaskRunReply
		out := p.cli("task", "run", "Fill this form again", "--tab", "t1", "--json")
		if err := json.Unmarshal([]byte(out), &reply); err != nil || reply.Task.State != protocol.TaskDone || reply.Task.Asker == nil {
			t.Errorf("%+v, %v\n%s", reply, err, out)
		}
	})
	run("stopped from another shell", func(t *testing.T, p *product) {
		t.Helper()
		asked := make(chan struct{})
		m.expect(hanging(asked))
		r := p.cliStart("task", "run", "Fill nothing", "--tab", "t1")
		p.await(asked)
		task := p.newest()
		if out, err := p.cliRun("task", "run", "Fill more", "--tab", "t1"); err == nil || !strings.Contains(out, "works on tab t1 already") {
			t.Errorf("a second task on the tab: %s, %v", out, err)
		}
		if out := p.cli("task", "stop", string(task.ID)); !strings.Contains(out, ": stopped") {
			t.Errorf("stop says %s", out)
		}
		if said, code := r.end(); code != protocol.CodeRefused.ExitCode() || !strings.Contains(said, "the task was stopped") {
			t.Errorf("exit code %d:\n%s", code, said)
		}
	})
	run("without a panel, which is opened meanwhile, and without its caller", func(t *testing.T, p *product) {
		t.Helper()
		closePanel(p, browser)
		asked := make(chan struct{})
		m.expect(hanging(asked))
		r := p.cliStart("task", "run", "Fill nothing", "--tab", "t1")
		p.await(asked)
		if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		said, code := r.end()
		if code != 130 || !strings.Contains(said, "the task keeps running; `pilotfish task follow") {
			t.Errorf("exit code %d:\n%s", code, said)
		}
		task := p.newest()
		if out := p.cli("task", "status", string(task.ID)); !strings.Contains(out, ": running") {
			t.Errorf("after its caller went away: %s", out)
		}
		if s := p.session(protocol.DefaultSession); s.Panel != protocol.PanelAbsent || len(s.Tabs) != 1 || p.hasPage(browser, "panel.html") || !p.hasPage(browser, "tasks.html") {
			t.Errorf("while a task runs without a panel there is %+v", s)
		}
		before := m.count()
		p.clickIcon(browser)
		panel := p.connectedPanel(browser)
		p.toTask(panel)
		p.until(panel, "the panel shows the task", `document.querySelector('.goal')?.textContent === 'Fill nothing'`)
		p.tell(panel, "the second one")
		p.until(panel, "the message is in the task", `document.querySelector('.said.person')?.textContent.includes('the second one')`)
		p.press(panel, "Stop")
		p.ended(panel, protocol.TaskStopped)
		if now := m.count(); now != before {
			t.Errorf("the model was asked %d times more", now-before)
		}
		p.eventually("the page for tasks is closed", func() bool { return !p.hasPage(browser, "tasks.html") })
	})
	run("by MCP, with progress", func(t *testing.T, p *product) {
		t.Helper()
		byMCP(t, p)
	})
	run("an agent on its own tab only", func(t *testing.T, p *product) {
		t.Helper()
		opened := p.cli("newtab", pages+"/landed", "--json")
		var reply protocol.CommandReply
		if err := json.Unmarshal([]byte(opened), &reply); err != nil || reply.Tab == "" {
			t.Fatalf("newtab: %v %s", err, opened)
		}
		p.cli("tab", "t1")
		agent := p.page(browser, "panel.html")
		p.do(agent, `[...document.querySelectorAll('[aria-label=Faces] [role=tab]')].find((one) => one.textContent.trim() === 'Terminal').click()`)
		p.untilScreen(agent, "ready>")
		bin := filepath.Join(repoRoot(t), "build/bin/pilotfish")
		p.typeLine(agent, bin+" task run 'Fill it' --tab "+string(reply.Tab)+" || echo REFUSED:$?")
		p.untilScreen(agent, "REFUSED:4")
		p.typeLine(agent, bin+" task list; echo LIST''ED")
		p.untilScreen(agent, "LISTED")
		var screen string
		if err := agent.Eval(p.ctx, screenText, &screen); err != nil || strings.Contains(screen, "Fill this form for Ada") {
			t.Errorf("an agent sees the tasks of others: %v\n%s", err, screen)
		}
	})
}

// plainly starts plain instructions without a model, from a shell and in the
// panel, where a question is answered, and replays them.
func plainly(t *testing.T, p *product, browser *tap.Client, panel *tap.Page) {
	t.Helper()
	out := p.cli("task", "run", "fill Name with Ada, select Berlin in City, tick News and click Save", "--tab", "t1")
	for _, want := range []string{"\n1. Fill “Name”", "\n   click btn Save", ": done, step 5 of", "All 4 instructions are done."} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	saved(t, p, browser)
	if task := p.newest(); task.Profile != "" || task.Tokens != 0 {
		t.Errorf("a model was asked: %+v", task)
	}

	p.toTask(panel)
	p.press(panel, "New task")
	p.tell(panel, "make it nicer")
	p.until(panel, "what needs a model is said", `document.querySelector('[role=alert]')?.textContent.includes('make it nicer')`)
	p.do(p.page(browser, "/form"), `document.querySelector('form').insertAdjacentHTML('beforeend', '<fieldset><legend>Draft</legend><button type=button>Save</button></fieldset>')`)
	p.do(panel, taskField+".select()")
	p.tell(panel, "type Bob into Name then click Save")
	p.until(panel, "it asks which button", `document.querySelector('.question')?.innerText.includes('2 elements on this page match “Save”')`)
	p.tell(panel, "1")
	p.ended(panel, protocol.TaskDone)
	p.saved(p.page(browser, "/form"), "Saved: AdaBob, Berlin, with news")
	p.press(panel, "Replay without a model")
	p.until(panel, "it is done again", `document.querySelector('.end.done')?.innerText.includes('All 2 recorded actions were replayed')`)
	p.saved(p.page(browser, "/form"), "Saved: AdaBobBob, Berlin, with news")
}

// leaveKey writes a key into the browser's storage, as an older version did.
func leaveKey(p *product, panel *tap.Page, address string) {
	p.t.Helper()
	old, err := json.Marshal(map[string]any{"llmConfig": map[string]string{"apiKey": model.Key, "baseURL": address, "model": "fake-model"}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(panel, "chrome.storage.local.set("+string(old)+")")
}

// leftKey checks that a panel that was opened after that moves the key to the
// app.
func leftKey(p *product, panel *tap.Page) {
	p.t.Helper()
	p.toTask(panel)
	p.until(panel, "the old key's model is there", `[...document.querySelectorAll('select[aria-label=Model] option')].some((o) => o.textContent.includes('fake-model'))`)
	p.eventually("the key has left the browser", func() bool {
		var left string
		return panel.Eval(p.ctx, "chrome.storage.local.get(null).then((all) => JSON.stringify(all))", &left) == nil && !strings.Contains(left, model.Key)
	})
}

// saved checks that the form was really sent.
func saved(t *testing.T, p *product, browser *tap.Client) {
	t.Helper()
	var text string
	if err := p.page(browser, "/form").Eval(p.ctx, `document.getElementById('out').textContent`, &text); err != nil || text != "Saved: Ada, Berlin, with news" {
		t.Errorf("the page says %q, %v", text, err)
	}
}

// closePanel closes the side panel and waits until the app knows.
func closePanel(p *product, browser *tap.Client) {
	p.t.Helper()
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		p.t.Fatal(err)
	}
	p.eventually("the panel is closed", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelAbsent })
}

// byMCP starts a task as an agent's client does.
func byMCP(t *testing.T, p *product) {
	t.Helper()
	p.cli("reload", "--tab", "t1")
	heard := make(chan *sdk.ProgressNotificationParams, 64)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { heard <- r.Params },
	})
	s, err := client.Connect(p.ctx, &sdk.CommandTransport{Command: p.shell("mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	params := &sdk.CallToolParams{Name: "task_run", Arguments: map[string]any{"goal": "Fill this form for MCP", "tab": "t1"}}
	params.SetProgressToken("here")
	result, err := s.CallTool(p.ctx, params)
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result.Content[0], err)
	}
	text := result.Content[0].(*sdk.TextContent).Text //nolint:forcetypeassert // a test may panic
	if !strings.Contains(text, ": done, step 2 of 40\n<page-") || !strings.Contains(text, "Saved: Ada") {
		t.Errorf("the result is %q", text)
	}
	said := ""
	for _, want := range []string{"1. Do what comes next.", "click btn Save"} {
		for !strings.Contains(said, want) {
			select {
			case line := <-heard:
				said += line.Message + "\n"
			case <-p.ctx.Done():
				t.Fatalf("%q was not told; only:\n%s", want, said)
			}
		}
	}
	_, id, _ := strings.Cut(text, "task ")
	id, _, _ = strings.Cut(id, ":")
	again, err := s.CallTool(p.ctx, &sdk.CallToolParams{Name: "task_status", Arguments: map[string]any{"task": id}})
	if err != nil || again.IsError {
		t.Errorf("status: %+v, %v", again, err)
	}
	stripOfAgent(p, s)
}

// stripOfAgent checks that a tab in the background that an agent works in has a
// group of the agent's name.
func stripOfAgent(p *product, s *sdk.ClientSession) {
	p.t.Helper()
	opened, err := s.CallTool(p.ctx, &sdk.CallToolParams{Name: "browser_run", Arguments: map[string]any{"commands": []string{"newtab"}}})
	if err != nil || opened.IsError {
		p.t.Fatalf("%+v, %v", opened.Content[0], err)
	}
	tabs := p.session(protocol.DefaultSession).Tabs
	tab := string(tabs[len(tabs)-1].ID)
	if look, err := s.CallTool(p.ctx, &sdk.CallToolParams{Name: "browser_snapshot", Arguments: map[string]any{"tab": tab}}); err != nil || look.IsError {
		p.t.Fatalf("%+v, %v", look.Content[0], err)
	}
	p.eventually("the tab has a group that says who works there", func() bool {
		all := p.groups()
		return len(all) == 1 && all[0].Title == "test" && all[0].Color == "blue" && string(all[0].Tabs[0]) == tab
	})
	p.cli("closetab", tab)
}
