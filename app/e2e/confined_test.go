package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// attempts runs testdata/attempts.sh in the panel's terminal, and returns what of it was
// reached and what was not.
func (p *product) attempts(panel *tap.Page) (reached, held []string) {
	p.t.Helper()
	out := filepath.Join(p.stateDir(), "..", "work", "attempts")
	if err := os.Remove(out); err != nil && !os.IsNotExist(err) { // of the test before
		p.t.Fatal(err)
	}
	p.typeLine(panel, fmt.Sprintf("clear; bash %s %s %s; echo over$?", filepath.Join(repoRoot(p.t), "app/e2e/testdata/attempts.sh"), p.home, out))
	var lines []string
	p.eventually("the attempts have ended", func() bool {
		data, err := os.ReadFile(out)
		lines = strings.Split(strings.TrimSpace(string(data)), "\n")
		return err == nil && lines[len(lines)-1] == "end"
	})
	p.untilScreen(panel, "over0")
	for _, line := range lines[:len(lines)-1] {
		if name, yes := strings.CutPrefix(line, "reached "); yes {
			reached = append(reached, name)
		} else {
			held = append(held, strings.TrimPrefix(line, "held "))
		}
	}
	return reached, held
}

// TestConfinedAgent runs everything that a program of the same user can try, as an
// agent of the panel's terminal: nothing of it succeeds.
func TestConfinedAgent(t *testing.T) {
	p, _, panel := shared(t)
	p.startTerminal(panel, protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: "bash -i"})
	p.untilScreen(panel, "ready>")
	if info := p.terminal(); !info.Confined {
		t.Fatalf("the terminal is not confined: %+v", info)
	}
	reached, held := p.attempts(panel)
	if len(reached) > 0 || len(held) != 24 {
		said, _ := os.ReadFile(filepath.Join(p.stateDir(), "..", "work", "attempts.log"))
		t.Logf("%s", said)
		t.Errorf("%d attempts held; reached: %q", len(held), reached)
	}
	// What it is for still works: its own tab, the session's files for agents, /tmp.
	p.typeLine(panel, `clear; pilotfish url; ls $PILOTFISH_STATE; touch /tmp/x.$$ && rm /tmp/x.$$ && echo fi''ne`)
	p.untilScreen(panel, "active-tab.json")
	p.untilScreen(panel, "fine")
	p.until(panel, "the header says that it is confined", `document.querySelector('[aria-label="Confined"]')?.checkVisibility() === true`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "confined.png")); err != nil {
		t.Fatal(err)
	}
	p.leavesNothing(panel, "86399")
}

// leavesNothing starts a process that leaves the group, the session and the environment
// of the terminal's agent, and ends the agent: the process ends with it all the same.
func (p *product) leavesNothing(panel *tap.Page, seconds string) {
	p.t.Helper()
	survivor := "sleep\x00" + seconds + "\x00"
	p.typeLine(panel, `clear; env -i setsid sh -c 'setsid sleep `+seconds+` & exit'`)
	p.eventually("it runs", func() bool { return isAlive(p.t, survivor) })
	p.typeLine(panel, "exit")
	p.eventually("the terminal has ended", func() bool { return p.terminal().State == protocol.TerminalEnded })
	p.eventually("nothing of it runs", func() bool { return !isAlive(p.t, survivor) })
}

// asTheUser are the attempts to act with the rights of the user's command line.
func asTheUser() []string {
	return []string{
		"pilotfish without its token", "pilotfish with an empty environment", "pilotfish in a session of its own", "stop the session with its own token",
		"allow itself a site with its own token", "the app's route with a token from the file", "the app's route without a token",
	}
}

// TestUnconfinedAgent runs the same attempts where agents are not confined: what acts with
// the user's token is recognized as the agent, and nothing of the agent is left behind.
func TestUnconfinedAgent(t *testing.T) {
	t.Parallel()
	// From such an agent on, the app asks about sensitive commands of the user, too. So this
	// app is not the shared one.
	p := start(t, options{Settings: []string{`agent = "custom"`, `agent_command = "bash -i"`, "confine_agents = false"}})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	if info := p.terminal(); info.Confined {
		t.Fatalf("the terminal is confined: %+v", info)
	}
	reached, held := p.attempts(panel)
	t.Logf("where an agent is not confined %d attempts are held: %q", len(held), held)
	for _, name := range asTheUser() {
		if !slices.Contains(held, name) {
			t.Errorf("an unconfined agent could %s", name)
		}
	}
	if !slices.Contains(reached, "read the token of the command line") {
		t.Error("the token could not be read, so nothing was tried with it")
	}
	p.leavesNothing(panel, "86397")
}

// isAlive says whether a process has this command line, whose arguments end with a zero.
func isAlive(t *testing.T, cmdline string) bool {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(file string) bool {
		data, _ := os.ReadFile(file) // it may have ended
		return string(data) == cmdline
	})
}

// TestUnconfinedShell runs the same attempts in the user's own shell, which is not
// confined: much of it succeeds, which shows that the attempts are real. The switch in
// the header confines it.
func TestUnconfinedShell(t *testing.T) {
	own, _, panel := shared(t)
	defer own.settings()() // an attempt that succeeds changes them
	reached, held := own.attempts(panel)
	t.Logf("in the user's own shell %d attempts were held: %q", len(held), held)
	for _, name := range []string{"read the token of the command line", "see the app", "signal the browser", "read the browser's profile", "type into the panel by X"} {
		if !slices.Contains(reached, name) {
			t.Errorf("even an unconfined shell could not %s", name)
		}
	}
	for _, name := range asTheUser() {
		if !slices.Contains(held, name) {
			t.Errorf("a program in the shell could %s", name)
		}
	}
	own.eventually("the shell is at its prompt", func() bool { return own.terminal().Status == protocol.AgentIdle })
	own.press(panel, "Not confined")
	own.press(panel, "Confine this shell")
	own.eventually("the shell is confined", func() bool { return own.terminal().Confined })
	own.untilScreen(panel, "ready>")
	own.typeLine(panel, "clear; ls -A "+own.home+"/state/pilotfish.json || echo hid''den")
	own.untilScreen(panel, "hidden")
}
