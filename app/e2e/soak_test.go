//go:build soak

package e2e

import (
	"fmt"
	"math/rand/v2"
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

const (
	// soakTabs is how many tabs are open. The agents are half in terminals and half in
	// conversations.
	soakTabs          = 20
	soakTerminals     = 10
	soakConversations = 10
	// soakDisk is the size of the disk that becomes full, in MiB: enough for the profile
	// of the browser.
	soakDisk = 768
	// soakFull is how long the disk stays full.
	soakFull = 8 * time.Second
	// soakSettle is the time after which the values are measured that the last ones are
	// compared with.
	soakSettle = 2 * time.Minute
	// soakJudged is the shortest run whose values are judged.
	soakJudged = 10 * time.Minute
	// soakProgress is the time between two lines of progress.
	soakProgress = 30 * time.Second
)

// soak is a product under load, with faults.
type soak struct {
	*product
	rng   *rand.Rand // of the faults
	pages string
	disk  bool // the state is on a disk of its own
	began time.Time
	until time.Time
	panel *tap.Page
	// faults counts the faults by name.
	faults map[string]int

	// work is held for reading while a message or a command is on its way.
	work sync.RWMutex
	mu   sync.Mutex
	// sent are the accepted messages, and visited the addresses that a command has
	// opened with success.
	sent    map[protocol.ConversationID][]protocol.MessageID
	visited []string
}

// TestSoak runs the whole product for a long time while its parts are killed at random
// and its disk is full for a while: 30 minutes, or what SOAK says. At the end nothing
// is lost, nothing is left running, and nothing has grown. PILOTFISH_SEED repeats the
// order of the faults.
func TestSoak(t *testing.T) {
	length := 30 * time.Minute
	if s := os.Getenv("SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatalf("SOAK is a duration such as 2m or 1h: %v", err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("PILOTFISH_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("%v of faults; PILOTFISH_SEED=%d repeats their order", length, seed)
	s := newSoak(t, seed)
	s.began, s.until = time.Now(), time.Now().Add(length)
	stop := s.startWork(seed)
	first := s.makeFaults(length)
	stop()
	last := s.measured("soak-last")
	t.Logf("at the end: %v", last)
	if first != nil {
		last.compare(t, *first, length >= soakJudged)
	}

	s.end()
	s.launch(options{})
	s.eventually("the app runs again", func() bool {
		_, err := s.cliRun("status", "--json")
		return err == nil
	})
	s.checkMessages()
	s.end()
	s.checkJournals()
	t.Logf("faults: %v", s.faults)
}

// newSoak starts the product with its tabs, terminals and conversations.
func newSoak(t *testing.T, seed uint64) *soak {
	t.Helper()
	home := shortDir(t)
	s := &soak{
		rng: rand.New(rand.NewPCG(seed, 0)), pages: site(t), faults: map[string]int{},
		sent: map[protocol.ConversationID][]protocol.MessageID{},
	}
	s.disk = mountDisk(t, filepath.Join(home, "state"))
	s.product = start(t, options{Home: home, Settings: []string{`agent = "custom"`, `agent_command = "{bin}/tui-agent"`, "terminal_grace_minutes = 0"}})
	s.ctx = t.Context() // that of a short test ends earlier
	s.panel = s.product.panel(s.browser(protocol.DefaultSession))
	s.untilScreen(s.panel, "tui-agent ready")
	s.cli("goto", "--tab", "t1", s.pages+"/tab-0")
	for i := 1; i < soakTabs; i++ {
		s.cli("newtab", fmt.Sprintf("%s/tab-%d", s.pages, i))
	}
	for i := range soakConversations {
		id := protocol.ConversationID(fmt.Sprintf("5f0c8c3a-61c1-4c3e-9a36-3b1f0f6a1%03d", i))
		s.sent[id] = nil
		// Each has a folder of its own, and so a process of its own.
		folder := filepath.Join(home, fmt.Sprintf("agent-%d", i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		s.begin(id, s.tabAt(i), fmt.Sprintf("Conversation %d", i), "-state", folder)
	}
	s.recover()
	return s
}

// mountDisk mounts a disk on a folder. It reports whether that was possible.
func mountDisk(t *testing.T, dir string) bool {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", soakDisk)); err != nil {
		t.Logf("the disk will not be full: a disk cannot be mounted here: %v", err)
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return true
}

// tabAt returns the tab that shows page n.
func (s *soak) tabAt(n int) protocol.TabID {
	s.t.Helper()
	for _, tab := range s.session(protocol.DefaultSession).Tabs {
		if strings.HasSuffix(path(tab.URL), fmt.Sprintf("/tab-%d", n)) {
			return tab.ID
		}
	}
	s.t.Fatalf("no tab shows page %d", n)
	return ""
}

// path is an address without its query.
func path(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// recover waits until everything works again after a fault: the browser with all tabs
// and its panel, and all terminals with an agent that answers a key. What the user does
// by one click, such as starting an agent again, it does.
func (s *soak) recover() {
	s.t.Helper()
	missing := ""
	s.eventually("the session is back", func() bool {
		missing = s.missing()
		return missing == ""
	})
	s.panel = s.product.panel(s.browser(protocol.DefaultSession))
	s.startTerminals()
	// Where a terminal is in view, it answers.
	front := s.session(protocol.DefaultSession).Terminals[0]
	s.cli("tab", string(front.Tab))
	s.untilScreen(s.panel, "tui-agent")
	s.faults["recovered"]++
	line := fmt.Sprintf("beat %d", s.faults["recovered"])
	s.typeLine(s.panel, line)
	s.untilScreen(s.panel, "you said: "+line)
}

// missing says what the session does not have; empty when it is complete.
func (s *soak) missing() string {
	out, err := s.cliRun("status", "--json")
	if err != nil {
		return "the app: " + out
	}
	session := s.session(protocol.DefaultSession)
	if session.State != protocol.SessionRunning || session.Panel != protocol.PanelConnected {
		return fmt.Sprintf("the session is %s, its panel %s: %+v", session.State, session.Panel, session.Error)
	}
	pages := map[string]int{}
	for _, tab := range session.Tabs {
		pages[path(tab.URL)]++
	}
	for i := range soakTabs {
		if page := fmt.Sprintf("%s/tab-%d", s.pages, i); pages[page] != 1 {
			return fmt.Sprintf("page %d is shown by %d tabs of %v", i, pages[page], pages)
		}
	}
	return ""
}

// startTerminals starts every terminal again that has ended, and those that are not
// there. The requests come from the panel's page, as those of its buttons.
func (s *soak) startTerminals() {
	s.t.Helper()
	terminals := s.session(protocol.DefaultSession).Terminals
	for _, info := range terminals {
		if info.State == protocol.TerminalEnded {
			s.askAsPanel(s.panel, "/pty-restart", protocol.PtyRestartRequest{Terminal: info.ID}, nil)
		}
	}
	has := map[protocol.TabID]bool{}
	for _, info := range terminals {
		has[info.Tab] = true
	}
	tabs := s.session(protocol.DefaultSession).Tabs
	for i := 0; len(has) < soakTerminals; i++ {
		if !has[tabs[i].ID] {
			s.askAsPanel(s.panel, "/pty-session", protocol.PtySessionRequest{Tab: tabs[i].ID, Cols: 80, Rows: 24}, nil)
			has[tabs[i].ID] = true
		}
	}
	s.eventually("all terminals run", func() bool {
		live := 0
		for _, info := range s.session(protocol.DefaultSession).Terminals {
			if info.State == protocol.TerminalLive {
				live++
			}
		}
		return live >= soakTerminals
	})
}

// end ends the app and checks that none of its processes is left.
func (s *soak) end() {
	s.t.Helper()
	s.quit()
	s.eventually("no process is left", func() bool { return len(s.ours()) == 0 })
}
