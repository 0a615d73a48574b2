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
	p := start(t, options{Settings: []string{`agent = "custom"`, `agent_command = "bash -i"`}})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
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
	p.typeLine(panel, `clear; pilotfish url; ls $PILOTFISH_STATE; touch /tmp/x.$$ && rm /tmp/x.$$ && echo fine`)
	p.untilScreen(panel, "active-tab.json")
	p.untilScreen(panel, "fine")
	p.until(panel, "the header says that it is confined", `document.querySelector('[aria-label="Confined"]')?.checkVisibility() === true`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "confined.png")); err != nil {
		t.Fatal(err)
	}
	// A process that left the group, the session and the environment ends with it all the same.
	const survivor = "sleep\x0086399\x00"
	p.typeLine(panel, `clear; env -i setsid sh -c 'setsid sleep 86399 & exit'`)
	p.eventually("it runs", func() bool { return isAlive(t, survivor) })
	p.typeLine(panel, "exit")
	p.eventually("the terminal has ended", func() bool { return p.terminal().State == protocol.TerminalEnded })
	p.eventually("nothing of it runs", func() bool { return !isAlive(t, survivor) })
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
	own := start(t, options{Settings: []string{`agent = "shell"`}})
	panel := own.panel(own.browser(protocol.DefaultSession))
	own.untilScreen(panel, "ready>")
	reached, held := own.attempts(panel)
	t.Logf("in the user's own shell %d attempts were held: %q", len(held), held)
	for _, name := range []string{"read the token of the command line", "see the app", "signal the browser", "read the browser's profile", "type into the panel by X"} {
		if !slices.Contains(reached, name) {
			t.Errorf("even an unconfined shell could not %s", name)
		}
	}
	own.eventually("the shell is at its prompt", func() bool { return own.terminal().Status == protocol.AgentIdle })
	own.press(panel, "Not confined")
	own.press(panel, "Confine this shell")
	own.eventually("the shell is confined", func() bool { return own.terminal().Confined })
	own.untilScreen(panel, "ready>")
	own.typeLine(panel, "clear; ls -A "+own.home+"/state/pilotfish.json || echo hidden")
	own.untilScreen(panel, "hidden")
}
