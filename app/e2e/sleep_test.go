package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// withDescendants returns a process and all of its descendants, parents first.
func withDescendants(pid int) []int {
	all := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range lists {
		list, _ := os.ReadFile(path) // an error means that the thread has ended
		for _, field := range strings.Fields(string(list)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, withDescendants(child)...)
			}
		}
	}
	return all
}

// freeze stops processes as a sleeping machine does. They go on with thaw, or when the
// test ends.
func freeze(t *testing.T, pids []int) (thaw func()) {
	t.Helper()
	thaw = sync.OnceFunc(func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
	t.Cleanup(thaw)
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	return thaw
}

// sockets counts the WebSockets that a page has opened successfully, by path.
type sockets struct {
	mu     sync.Mutex
	paths  map[string]string // by the request's id
	opened map[string]int
}

// countSockets begins to count.
func (p *product) countSockets(page *tap.Page) *sockets {
	p.t.Helper()
	s := &sockets{paths: map[string]string{}, opened: map[string]int{}}
	type event struct {
		RequestID string `json:"requestId"`
		URL       string `json:"url"`
	}
	page.Hear("Network.webSocketCreated", func(params json.RawMessage) {
		var e event
		if json.Unmarshal(params, &e) != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if u, err := url.Parse(e.URL); err == nil {
			s.paths[e.RequestID] = u.Path
		}
	})
	page.Hear("Network.webSocketHandshakeResponseReceived", func(params json.RawMessage) {
		var e event
		if json.Unmarshal(params, &e) != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opened[s.paths[e.RequestID]]++
	})
	if err := page.Call(p.ctx, "Network.enable", nil, nil); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// since returns how many sockets of a path were opened since the last call.
func (s *sockets) since(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.opened[path]
	s.opened[path] = 0
	return n
}

// TestSleepAndResume stops the app, the browser, and then both, for longer than a
// socket lives without an answer (fault 15). Meanwhile an agent writes to its terminal,
// and another one answers in a conversation. Afterwards panel and terminal have
// connected again once at most, and nothing is lost or restarted.
func TestSleepAndResume(t *testing.T) {
	t.Parallel()
	p := start(t, options{})
	client := p.browser(protocol.DefaultSession)
	panel := p.panel(client)
	p.untilScreen(panel, "ready>")
	e := newExactly(t, p, client, panel)
	e.settled()
	e.begin(firstConversation, "t1", "Asleep")
	sockets := e.countSockets(e.panel)
	before := e.session(protocol.DefaultSession)
	app := []int{e.app.Process.Pid}
	browser := withDescendants(before.Browser.PID)
	said := 0
	// alone says that one side was awake and gave up the sockets. Otherwise they may live.
	sleep := func(what string, alone bool, pids []int, over func()) {
		said++
		e.request("/chat/send", protocol.ChatSendRequest{
			Conversation: firstConversation, Message: protocol.MessageID(fmt.Sprintf("m%d", said)),
			Text: fmt.Sprintf("say begin ; slow 300 20 ; say finis%d", said),
		}, nil)
		e.write(encode(what+"\r\n"), []byte(what+"\r\n"))
		e.matches("nothing yet: " + what)
		sockets.since("/panel")
		sockets.since("/ws")
		thaw := freeze(t, pids)
		text := strings.Repeat("written while it slept: "+what+"\r\n", 200)
		if _, err := e.feed.WriteString(text); err != nil {
			t.Fatal(err)
		}
		e.ref.ask(map[string]any{"write": encode(text)}, nil)
		over()
		thaw()
		e.eventually("the panel is connected after "+what, func() bool {
			return e.session(protocol.DefaultSession).Panel == protocol.PanelConnected
		})
		e.write(encode("awake\r\n"), []byte("awake\r\n"))
		e.matches(what)
		panel, terminal := sockets.since("/panel"), sockets.since("/ws")
		if panel > 1 || terminal > 1 || alone && (panel == 0 || terminal == 0) {
			t.Errorf("%s: the panel connected %d times, its terminal %d times; want once", what, panel, terminal)
		}
		e.answered(firstConversation, said)
	}

	sleep("the app sleeps", true, app, func() {
		e.until(e.panel, "the panel knows that the app does not answer", `document.body.innerText.includes('Disconnected from Pilotfish')`)
	})
	sleep("the browser sleeps", true, browser, func() {
		e.eventually("the app knows that the panel does not answer", func() bool {
			return e.session(protocol.DefaultSession).Panel == protocol.PanelAbsent
		})
	})
	if !testing.Short() { // each sleep takes half a minute
		sleep("both sleep", false, append(app, browser...), func() {
			// The length of the sleep is the fault itself, and nothing is awake to report it.
			<-time.After(protocol.DeadAfter + protocol.PingInterval/3)
		})
	}

	after := e.session(protocol.DefaultSession)
	if after.Browser == nil || after.Browser.PID != before.Browser.PID || len(after.Warnings) != len(before.Warnings) {
		t.Errorf("the browser was %+v, and is %+v with warnings %+v", before.Browser, after.Browser, after.Warnings)
	}
	if was, is := before.Terminals[0], e.terminal(); is.PID != was.PID || is.Epoch != was.Epoch {
		t.Errorf("the program was %d (epoch %d), and is %d (epoch %d)", was.PID, was.Epoch, is.PID, is.Epoch)
	}
	e.cli("snapshot", "--tab", "t1")
}

// answered waits until a conversation has n messages of the user and n ends, and fails
// when it has more, or an end that is not a success.
func (p *product) answered(id protocol.ConversationID, n int) {
	p.t.Helper()
	var kinds map[protocol.ChatEntryKind]int
	p.eventually(fmt.Sprintf("conversation %s has %d answers", id, n), func() bool {
		kinds = map[protocol.ChatEntryKind]int{}
		for _, entry := range p.history(id).Entries {
			kinds[entry.Kind]++
			if entry.End != nil && entry.End.Error != nil {
				p.t.Errorf("a turn ended with %+v", entry.End.Error)
			}
		}
		return kinds[protocol.EntryEnd] >= n
	})
	if kinds[protocol.EntryUser] != n || kinds[protocol.EntryEnd] != n {
		p.t.Errorf("%d messages were sent; the conversation has %v", n, kinds)
	}
}
