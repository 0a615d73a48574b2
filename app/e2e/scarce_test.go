package e2e

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// TestMemoryRunsOut: the program of a terminal may use little memory, and the agent of
// a conversation is killed as the kernel kills when memory is short (fault 31). The
// panel shows which one ended and how, and everything else goes on.
func TestMemoryRunsOut(t *testing.T) {
	p, _, panel := shared(t)
	p.startTerminal(panel, protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: `bash -c "echo it waits; read x; ulimit -v 40000; exec tail /dev/zero"`})
	p.untilScreen(panel, "it waits")
	session := p.session(protocol.DefaultSession)
	p.typeLine(panel, "")
	p.untilScreen(panel, "memory exhausted")
	p.until(panel, "the panel says how the program ended", `document.body.innerText.includes('bash ended with exit code 1')`)

	p.toChat(panel)
	p.begin(firstConversation, "t1", "Killed")
	p.begin(secondConversation, "t1", "Spared", "-no-images") // another command line, so a process of its own
	p.request("/chat/send", protocol.ChatSendRequest{Conversation: secondConversation, Message: "spared", Text: "slow 100 50 ; say survived"}, nil)
	p.request("/chat/send", protocol.ChatSendRequest{Conversation: firstConversation, Message: "killed", Text: "say begin ; kill"}, nil)
	p.chooseConversation(panel, "Killed")
	p.until(panel, "the conversation says how its agent ended", `document.body.innerText.includes('SIGKILL')`)
	p.chooseConversation(panel, "Spared")
	p.untilSaid(panel, "survived")
	p.untilSaid(panel, "Done in")

	p.cli("snapshot", "--tab", "t1")
	if now := p.session(protocol.DefaultSession); now.Browser == nil || now.Browser.PID != session.Browser.PID {
		t.Errorf("the browser was %+v, and is %+v", session.Browser, now.Browser)
	}
}

// TestDescriptorsRunOut lowers the number of descriptors that the app may have, until a
// new terminal is refused (fault 32): the panel says what to do, the terminals that run
// and the commands work, and with more descriptors a new terminal starts.
func TestDescriptorsRunOut(t *testing.T) {
	p, _, panel := shared(t)
	var usual unix.Rlimit
	if err := unix.Prlimit(p.app.Process.Pid, unix.RLIMIT_NOFILE, nil, &usual); err != nil {
		t.Fatal(err)
	}
	limit := func(n uint64) {
		t.Helper()
		if err := unix.Prlimit(p.app.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: usual.Max}, nil); err != nil {
			t.Fatal(err)
		}
	}
	defer limit(usual.Cur)
	const refusal = `document.body.innerText.includes('files that Pilotfish may have open')`
	refused := func() (yes bool) {
		if err := panel.Eval(p.ctx, refusal, &yes); err != nil {
			t.Fatal(err)
		}
		return yes
	}
	// another asks for one more terminal, and reports whether it came.
	another := func() bool {
		t.Helper()
		before := len(p.session(protocol.DefaultSession).Terminals)
		p.press(panel, "New terminal")
		came := false
		p.eventually("a terminal came or was refused", func() bool {
			came = len(p.session(protocol.DefaultSession).Terminals) > before
			return came || refused()
		})
		if came {
			p.untilScreen(panel, "ready>")
		}
		return came
	}
	// Small steps: the limit is reached while there are still some descriptors for what
	// runs, as when the last of many terminals is opened.
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.app.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(len(open) + 60)
	for limit(n); another(); limit(n) {
		if n -= 8; n < 40 {
			t.Fatal("a new terminal is never refused")
		}
	}
	t.Logf("refused with %d descriptors", n)
	p.until(panel, "the panel says what to do", `document.body.innerText.includes('ulimit -n')`)
	terminals := p.session(protocol.DefaultSession).Terminals
	if err := panel.Eval(p.ctx, `document.querySelector('[aria-label="Terminals beside this tab"] [role=tab]').click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "pilotfish title; echo code $?")
	p.untilScreen(panel, "code 0")
	limit(usual.Cur)
	if !another() {
		t.Error("with free descriptors, a new terminal is refused")
	}
	for _, was := range terminals {
		if err := syscall.Kill(was.PID, 0); err != nil {
			t.Errorf("terminal %s has lost its program: %v", was.ID, err)
		}
	}
	if out := fmt.Sprint(p.session(protocol.DefaultSession).Warnings); strings.Contains(out, "crashed") {
		t.Errorf("the session has warnings: %s", out)
	}
}
