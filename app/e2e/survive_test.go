package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// terminal returns the only terminal of the default session.
func (p *product) terminal() protocol.TerminalInfo {
	p.t.Helper()
	terminals := p.session(protocol.DefaultSession).Terminals
	if len(terminals) != 1 {
		p.t.Fatalf("there are %d terminals, want one: %+v", len(terminals), terminals)
	}
	return terminals[0]
}

// TestPanelClosedAndReopened closes the panel's document in the middle of output
// and opens it again: the program has continued, and the screen is complete.
func TestPanelClosedAndReopened(t *testing.T) {
	p, browser, panel := shared(t)
	p.typeLine(panel, `for i in $(seq 1 3000); do echo "line $i of the voyage"; done; echo over`)
	p.untilScreen(panel, "of the voyage")
	before := p.terminal()
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		t.Fatal(err)
	}
	gone := func() {
		t.Helper()
		p.eventually("the panel is gone", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelAbsent })
	}
	gone()
	welcome := p.page(browser, "/welcome")
	p.until(welcome, "the welcome page says so", `document.body.dataset.panel === 'absent' && document.querySelector('#status').textContent.includes('Ctrl+Shift+Y')`)
	p.openPanel()
	panel = p.panel(browser)
	p.untilScreen(panel, "over")
	p.until(welcome, "the welcome page knows that it is back", `document.body.dataset.panel === 'connected'`)
	// The shortcut opens and closes it, too.
	p.pressKey("ctrl+shift+y")
	gone()
	p.pressKey("ctrl+shift+y")
	panel = p.panel(browser)
	p.untilScreen(panel, "over")
	p.untilScreen(panel, "line 3000 of the voyage")
	if after := p.terminal(); after.PID != before.PID || after.Epoch != before.Epoch {
		t.Errorf("the program was %d (epoch %d), now %d (epoch %d)", before.PID, before.Epoch, after.PID, after.Epoch)
	}
	p.typeLine(panel, "echo still $((40+2))")
	p.untilScreen(panel, "still 42")
}

// pressKey presses a key in the browser's window, as a user does.
func (p *product) pressKey(key string) {
	p.t.Helper()
	window, err := p.desk.WaitWindow(p.ctx, "Chromium$")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, args := range [][]string{{"windowactivate", "--sync", window}, {"key", "--clearmodifiers", key}} {
		if _, err := p.desk.Command(p.ctx, "xdotool", args...); err != nil {
			p.t.Fatal(err)
		}
	}
}

// openPanel opens the side panel again, as a click on a tab in the tray's menu
// does.
func (p *product) openPanel() {
	p.t.Helper()
	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	var label string
	entries, err := item.WaitMenu(p.ctx, hasLabel("Welcome"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Label, "Welcome") {
			label = e.Label
		}
	}
	if err := item.Click(p.ctx, label); err != nil {
		p.t.Fatal(err)
	}
}

// TestWorkerStopped makes the browser stop the extension's worker in the middle of an
// answer: nothing depends on it. The answer and the terminal go on, and a new tab is known.
// The question makes sure that the turn does not end before the worker is stopped.
func TestWorkerStopped(t *testing.T) {
	p, browser, panel := shared(t)
	p.begin(firstConversation, "t1", "One")
	p.toChat(panel)
	p.say(panel, "say begin ; slow 50 10 ; ask go on ; slow 50 10 ; say finis")
	p.untilSaid(panel, "the quick brown fox")
	welcome := p.page(browser, "/welcome")
	for range 2 {
		for _, method := range []string{"ServiceWorker.enable", "ServiceWorker.stopAllWorkers"} {
			if err := welcome.Call(p.ctx, method, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.allow(panel)
	p.until(panel, "the answer has its end", `[...document.querySelectorAll('article.text')].some((one) => one.innerText.includes('finis'))`)
	p.untilSaid(panel, "Done in")
	p.saidAsWritten(panel)

	p.toTerminal(panel)
	p.typeLine(panel, "echo the worker is $((1-1))")
	p.untilScreen(panel, "the worker is 0")
	after := protocol.TabID(p.made("newtab", site(t)+"/after"))
	p.eventually("the new tab is known with its place", func() bool {
		return slices.ContainsFunc(p.session(protocol.DefaultSession).Tabs, func(tab protocol.Tab) bool {
			return tab.ID == after && tab.ChromeTabID != 0
		})
	})
}

// toTerminal opens the Terminal face.
func (p *product) toTerminal(panel *tap.Page) {
	p.t.Helper()
	p.do(panel, `document.querySelector('[aria-label=Faces] [role=tab]').click()`)
	p.until(panel, "the terminal is there", `document.querySelector('.terminal-view:not([hidden])')?.checkVisibility()`)
}

// TestBackendRestarted restarts the local server while a panel is connected: the
// panel reconnects automatically, and the terminal is the same.
func TestBackendRestarted(t *testing.T) {
	p, _, panel := shared(t)
	p.typeLine(panel, "echo before $((2*21))")
	p.untilScreen(panel, "before 42")
	pid := p.terminal().PID
	for range 2 {
		p.cli("app", "restart-server")
		p.eventually("the panel is connected again", func() bool {
			all, err := p.status()
			return err == nil && all[0].Panel == protocol.PanelConnected
		})
		p.typeLine(panel, "echo after $((3*14))")
		p.untilScreen(panel, "after 42")
	}
	p.cli("app", "rotate-tokens")
	p.typeLine(panel, "pilotfish tabs && echo rotated $((6*7))")
	p.untilScreen(panel, "rotated 42")
	if now := p.terminal().PID; now != pid {
		t.Errorf("the program was %d, now it is %d", pid, now)
	}
}

// TestAgentKilled kills the agent of a terminal: the panel shows how it ended, keeps its
// last screen, and starts it again. Then it kills the agent of a conversation in the middle
// of a turn: one click starts it again.
func TestAgentKilled(t *testing.T) {
	p, _, panel := shared(t)
	p.typeLine(panel, "echo last words")
	p.untilScreen(panel, "last words")
	if err := syscall.Kill(p.terminal().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.until(panel, "the panel says how the agent ended", `document.body.innerText.includes('SIGKILL')`)
	p.untilScreen(panel, "last words")
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('button')].find((b) => b.checkVisibility() && /^(Start again|Restart)/.test(b.textContent.trim())).click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.eventually("a new process runs in the same terminal", func() bool {
		info := p.terminal()
		return info.Epoch == 2 && info.State == protocol.TerminalLive
	})
	p.untilScreen(panel, "ready>")

	p.begin(firstConversation, "t1", "One", "-state", shortDir(t))
	p.toChat(panel)
	p.say(panel, "say last words ; kill")
	p.untilSaid(panel, "last words")
	p.press(panel, "Restart")
	p.until(panel, "the agent runs again", `![...document.querySelectorAll('button')].some((b) => b.checkVisibility() && b.textContent.trim() === 'Restart')`)
	p.say(panel, "say and back again")
	p.until(panel, "it answers", `[...document.querySelectorAll('article.text')].some((one) => one.innerText.includes('and back again'))`)
	p.untilSaid(panel, "Done in")
}

// TestBrowserKilled kills the browser: it restarts with its tabs under the same ids, which
// can still go back, and the terminal is not affected. Panel and window report what happened.
func TestBrowserKilled(t *testing.T) {
	pages := site(t)
	p, _, panel := shared(t)
	kept := protocol.TabID(p.made("newtab", pages+"/kept"))
	p.cli("tab", "t1")
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo before the crash")
	p.untilScreen(panel, "before the crash")
	for _, page := range []string{"/first", "/second", "/third"} {
		p.cli("goto", "--tab", "t1", pages+page)
	}
	killed, terminal := p.session(protocol.DefaultSession).Browser.PID, p.terminal()
	p.eventually("Chromium has written the history down", func() bool { return p.historyHas(pages + "/third") })
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("another browser runs", func() bool {
		now := p.session(protocol.DefaultSession)
		return now.State == protocol.SessionRunning && now.Browser != nil && now.Browser.PID != killed && now.Panel == protocol.PanelConnected
	})
	if now := p.terminal(); now.PID != terminal.PID {
		t.Errorf("the program was %d, now it is %d", terminal.PID, now.PID)
	}
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "before the crash")
	p.eventually("the tab is back under its id", func() bool {
		return slices.ContainsFunc(p.session(protocol.DefaultSession).Tabs, func(tab protocol.Tab) bool {
			return tab.ID == kept && strings.HasSuffix(tab.URL, "/kept")
		})
	})
	for _, page := range []string{"/second", "/first"} {
		if out := p.cli("back", "--tab", "t1"); !strings.Contains(out, page) {
			t.Errorf("back went to %s, not to %s", out, page)
		}
	}
	warnings := p.session(protocol.DefaultSession).Warnings
	if !slices.ContainsFunc(warnings, func(w protocol.Error) bool {
		return w.Code == protocol.CodeCrashed && strings.Contains(w.Message, "SIGKILL")
	}) {
		t.Errorf("the window is told %+v", warnings)
	}
	p.until(panel, "the panel says what happened", `/The browser crashed at .* \(SIGKILL\) and was restarted. Your tabs are back\./.test(document.body.innerText)`)
	if err := panel.Eval(p.ctx, `document.querySelector('.notice button').click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.until(panel, "the sentence is dismissed", `!document.body.innerText.includes('The browser crashed')`)
}

// historyHas reports whether Chromium's file of open tabs contains a part of an
// address.
func (p *product) historyHas(part string) bool {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(p.stateDir()), "profile", "Default", "Sessions", "Session_*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		raw, err := os.ReadFile(name)
		return err == nil && bytes.Contains(raw, []byte(part))
	})
}

// TestTrayKilled kills the tray program: the app starts it again.
func TestTrayKilled(t *testing.T) {
	p, _, _ := shared(t)
	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	pid := item.PID(p.ctx)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("there is another icon", func() bool {
		items, err := p.desk.Items(p.ctx)
		if err != nil {
			return false
		}
		for _, i := range items {
			if other := i.PID(p.ctx); other != 0 && other != pid {
				return true
			}
		}
		return false
	})
}

// TestWindowKilled kills the window's program: it is started again, and the
// session is not affected.
func TestWindowKilled(t *testing.T) {
	p, _, panel := shared(t)
	if _, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	agent, pid := p.terminal().PID, p.windowPID()
	if pid == 0 {
		t.Fatal("the window has no process")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("there is another window", func() bool {
		other := p.windowPID()
		return other != 0 && other != pid && len(p.desk.Windows(p.ctx, "^Pilotfish$")) == 1
	})
	p.typeLine(panel, "echo un''harmed")
	p.untilScreen(panel, "unharmed")
	if now := p.terminal().PID; now != agent {
		t.Errorf("the agent is process %d, and was %d", now, agent)
	}
}

// windowPID returns the process of the app's window; 0 when there is none.
func (p *product) windowPID() int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.app.Process.Pid))
	for _, path := range tasks {
		list, _ := os.ReadFile(path) // an error means that the thread has ended
		for _, field := range strings.Fields(string(list)) {
			program, _ := os.Readlink("/proc/" + field + "/exe")
			if pid, err := strconv.Atoi(field); err == nil && filepath.Base(program) == "pilotfish-window" {
				return pid
			}
		}
	}
	return 0
}

// TestAppKilled kills the app with SIGKILL while an agent runs that ignores every other
// signal and has a daemon outside of its process group, in the middle of a turn of Chat and
// of a task. No process of ours is left. The next start has the tabs; the turn has ended,
// a question that waited still waits, and the task resumes at its step.
func TestAppKilled(t *testing.T) {
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{"Twice": twice})
	p, _, panel := shared(t)
	p.typeLine(panel, `trap '' HUP TERM INT; setsid sleep 988 & echo stub''born`)
	p.untilScreen(panel, "stubborn")

	p.begin(firstConversation, "t1", "One", "-state", shortDir(t))
	p.toChat(panel)
	p.say(panel, "say before the end ; silent")
	p.untilSaid(panel, "before the end")
	for i := 1; i <= protocol.ChatQueue; i++ {
		p.say(panel, fmt.Sprintf("say waiting %d", i))
		p.until(panel, "it waits", fmt.Sprintf(`document.querySelectorAll('[aria-label="Queued messages"] li').length === %d`, i))
	}
	p.say(panel, "say one too many")
	p.until(panel, "the sixth stays in the input, with words", `document.querySelector('[role=alert]') && document.querySelector('form textarea').value === 'say one too many'`)
	p.eventually("its draft is kept", func() bool { return p.history(firstConversation).Head.Draft == "say one too many" })

	p.useModel(panel, m.front.URL+"/v1")
	p.toTask(panel)
	asked := make(chan struct{})
	m.expect(nil, hanging(asked))
	p.task(panel, pages+"/form", "Twice something")
	p.await(asked)
	p.kill()

	p.launch(options{})
	panel = p.connectedPanel(p.browser(protocol.DefaultSession))
	p.eventually("the tabs are back", func() bool {
		tabs := p.session(protocol.DefaultSession).Tabs
		return len(tabs) == 1 && strings.HasSuffix(tabs[0].URL, "/form")
	})
	p.until(panel, "it is said that they are", `document.body.innerText.includes('Pilotfish ended unexpectedly') && document.body.innerText.includes('Your tab is back')`)
	p.press(panel, "Dismiss")
	p.toTerminal(panel)
	p.untilScreen(panel, "ready>")

	p.toChat(panel)
	p.chooseConversation(panel, "One")
	p.untilSaid(panel, "before the end")
	p.until(panel, "what waited waits", fmt.Sprintf(`document.querySelectorAll('[aria-label="Queued messages"] li').length === %d`, protocol.ChatQueue))
	ends := 0
	for _, e := range p.history(firstConversation).Entries {
		if e.End != nil && e.End.Reason == protocol.EndRestarted {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the turn has %d ends that say that Pilotfish ended, want one", ends)
	}
	p.until(panel, "the draft is there", `document.querySelector('form textarea').value === 'say one too many'`)

	p.toTask(panel)
	if after := p.tasks(); len(after) != 1 || after[0].State != protocol.TaskInterrupted || after[0].Steps != 1 {
		t.Fatalf("after the start the tasks are %+v", after)
	}
	// There is no keychain here, so the key was kept for that run only.
	p.press(panel, "Change the model")
	p.enter(panel, "Key", model.Key)
	p.press(panel, "Save")
	p.goOn(panel, 2)
	p.ended(panel, protocol.TaskDone)
	p.notStored(model.Key)
}
