//go:build unix

package acp_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/chat/acp"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// Whatever ends an agent, the turn ends with it, after all its updates, and
// with the reason.
func TestAnAgentThatEndsInATurn(t *testing.T) {
	for _, test := range []struct{ words, reason string }{
		{"die 3", "exit code 3"},
		{"die 0", "stopped"},
		{"kill", "SIGKILL"},
		{"close-out", "closed its output"},
		{"rubbish 5000", "1000 lines in a row that are no messages"},
		{"big 65", "more than 64 MB"},
		{"child; kill", "SIGKILL"},
		{"ask-late; die 4", "exit code 4"},
	} {
		t.Run(test.words, func(t *testing.T) {
			a := start(t)
			session, sink := open(t, a)
			other, _ := open(t, a)
			end, err := session.Prompt(within(t), driver.Prompt{Text: "flood 500; " + test.words})
			if end.Reason != protocol.EndCrashed {
				t.Fatalf("ended with %s, %v", end.Reason, err)
			}
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("the reason is %v", err)
			}
			if strings.HasPrefix(test.words, "die") && (!strings.Contains(protocol.AsError(err).Detail, "a fault in the middle of a turn") || strings.Contains(err.Error(), "a fault")) {
				t.Errorf("its log is not beside the reason: %+v", protocol.AsError(err))
			}
			if !strings.Contains(sink.text(), "498 499 ") {
				t.Error("what was said before the end is lost")
			}
			<-a.Done()
			if protocol.AsError(a.Err()).Code != protocol.CodeCrashed {
				t.Errorf("%v", a.Err())
			}
			if _, err := other.Prompt(within(t), driver.Prompt{Text: "say x"}); err == nil {
				t.Error("another session goes on without a process")
			}
			if _, err := a.Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink()); err == nil {
				t.Error("a session is opened without a process")
			}
			if at := strings.Index(sink.text(), "child "); at >= 0 {
				pid, _ := strconv.Atoi(strings.Fields(sink.text()[at:])[1])
				// It may be a zombie whose new parent is slow.
				if state, _ := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output(); len(state) > 0 && state[0] != 'Z' {
					t.Errorf("a child of the agent is left: %s", state)
				}
			}
		})
	}
}

// An agent that has stopped reading is noticed when something is sent to it.
func TestAnAgentThatClosesItsInput(t *testing.T) {
	a := start(t)
	session, sink := open(t, a)
	ended := make(chan driver.TurnEnd, 1)
	go func() {
		end, _ := session.Prompt(within(t), driver.Prompt{Text: "close-in"})
		ended <- end
	}()
	sink.wait(t, "text closed")
	if err := session.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case end := <-ended:
		if end.Reason != protocol.EndCrashed {
			t.Errorf("ended with %s", end.Reason)
		}
	case <-within(t).Done():
		t.Fatal("the turn does not end")
	}
}

func TestAnAgentThatEndsBeforeATurn(t *testing.T) {
	for _, method := range []string{"initialize", "session/new"} {
		a := start(t, "-die-at", method)
		_, err := a.Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink())
		if err == nil || !strings.Contains(err.Error(), "exit code 7") || !strings.Contains(protocol.AsError(err).Detail, "ends at "+method) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestAProgramThatIsNoAgent(t *testing.T) {
	for _, program := range []string{"/bin/true", "/bin/false", "/nowhere/agent"} {
		a, err := acp.New(acp.Config{}).Start(t.Context(), driver.Launch{Name: "Something", Path: program, Dir: t.TempDir()})
		if err == nil {
			_, err = a.Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink())
			if closeErr := a.Close(t.Context()); closeErr != nil {
				t.Error(closeErr)
			}
		}
		if err == nil || !strings.Contains(err.Error(), "Something") {
			t.Errorf("%s: %v", program, err)
		}
	}
}

func TestAnAgentOfAnotherVersion(t *testing.T) {
	_, err := start(t, "-version", "7").Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink())
	if err == nil || !strings.Contains(err.Error(), "speaks version 7") {
		t.Error(err)
	}
}

// Lines that are no messages, and unknown messages, do not affect the others.
func TestRubbishAmongMessages(t *testing.T) {
	session, sink := open(t, start(t, "-hello", "Loaded cached credentials."))
	prompt(t, session, "rubbish 900; say a; broken; say b; rubbish 900; stranger; unknown; say c; stderr a warning")
	if sink.text() != "abc" {
		t.Errorf("%q", sink.text())
	}
	tools := sink.tools()
	if len(tools) != 1 || *tools[0].Title != "With parts of tomorrow" || len(tools[0].Content) != 1 || tools[0].Content[0].Text != "what is known" {
		t.Errorf("%+v", tools)
	}
}

func TestALineOfElevenMegabytes(t *testing.T) {
	session, sink := open(t, start(t))
	prompt(t, session, "big 11; say end")
	if text := sink.text(); len(text) != 11<<20+3 || !strings.HasSuffix(text, "xend") {
		t.Errorf("%d bytes", len(text))
	}
}

func TestAnAgentThatDoesNotAnswerIsClosed(t *testing.T) {
	a := start(t, "-mute", "initialize")
	opened := make(chan error, 1)
	go func() {
		_, err := a.Open(within(t), driver.SessionConfig{Dir: t.TempDir()}, newSink())
		opened <- err
	}()
	if err := a.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err == nil {
		t.Error("a session was opened")
	}
	if a.Err() != nil {
		t.Errorf("we closed it: %v", a.Err())
	}
}

// A waiting prompt ends when its agent is closed.
func TestCloseEndsATurn(t *testing.T) {
	a := start(t)
	session, sink := open(t, a)
	ended := make(chan driver.TurnEnd, 1)
	go func() {
		end, _ := session.Prompt(within(t), driver.Prompt{Text: "ignore-cancel begun"})
		ended <- end
	}()
	sink.wait(t, "text begun")
	if err := a.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if end := <-ended; end.Reason != protocol.EndCrashed {
		t.Errorf("ended with %s", end.Reason)
	}
}
