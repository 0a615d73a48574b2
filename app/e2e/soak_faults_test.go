//go:build soak

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// makeFaults makes one fault after the other until the time is over. It returns the
// values after soakSettle; nil when the run was shorter.
func (s *soak) makeFaults(length time.Duration) (early *values) {
	s.t.Helper()
	faults := map[string]func(){
		"browser": s.killBrowser, "worker": s.stopWorker, "terminal agent": s.killTerminalAgent,
		"chat agent": s.killChatAgent, "tray": s.killChild("pilotfish-tray"), "window": s.killChild("pilotfish-window"),
		"app": s.killApp,
	}
	if s.disk {
		faults["full disk"] = s.fillDisk
	}
	names := slices.Sorted(maps.Keys(faults))
	// Each fault once, and then at random.
	first := slices.Clone(names)
	s.rng.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	said, before := s.began, ""
	for time.Now().Before(s.until) {
		if early == nil && time.Since(s.began) >= soakSettle {
			now := s.measured("soak-early")
			early = &now
			s.t.Logf("after %v: %v", soakSettle, now)
		}
		name := names[s.rng.IntN(len(names))]
		if len(first) > 0 {
			name, first = first[0], first[1:]
		}
		// A part that is killed often in a short time is given up, as it should be.
		if name == before {
			continue
		}
		// What the app has gathered shows at the end only if it was not killed for long.
		if name == "app" && time.Since(s.began) > length*2/3 {
			continue
		}
		before = name
		s.faults[name]++
		faults[name]()
		s.recover()
		if time.Since(said) >= soakProgress {
			said = time.Now()
			s.t.Logf("%v of %v: %d messages, %d commands, faults %v; %v", time.Since(s.began).Round(time.Second), length, s.messages(), s.commands(), s.faults, s.measure())
		}
		// The pause between two faults is a part of the load.
		<-time.After(time.Second + time.Duration(s.rng.IntN(3000))*time.Millisecond)
	}
	return early
}

// kill sends SIGKILL. A process that has ended meanwhile is as good.
func (s *soak) kill(pid int) {
	s.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		s.t.Fatal(err)
	}
}

func (s *soak) killBrowser() {
	s.t.Helper()
	pid := s.session(protocol.DefaultSession).Browser.PID
	s.kill(pid)
	s.eventually("another browser runs", func() bool {
		now := s.session(protocol.DefaultSession)
		return now.State == protocol.SessionRunning && now.Browser != nil && now.Browser.PID != pid
	})
}

func (s *soak) stopWorker() {
	s.t.Helper()
	page := s.page(s.browser(protocol.DefaultSession), "/tab-")
	for _, method := range []string{"ServiceWorker.enable", "ServiceWorker.stopAllWorkers"} {
		if err := page.Call(s.ctx, method, nil, nil); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *soak) killTerminalAgent() {
	s.t.Helper()
	terminals := s.session(protocol.DefaultSession).Terminals
	one := terminals[s.rng.IntN(len(terminals))]
	s.kill(one.PID)
	s.eventually("its terminal shows how it ended", func() bool {
		for _, info := range s.session(protocol.DefaultSession).Terminals {
			if info.ID == one.ID {
				return info.State == protocol.TerminalEnded && info.Exit != nil && info.Exit.Signal == "SIGKILL"
			}
		}
		return false
	})
}

// killChatAgent kills an agent of a conversation, if one runs. The conversation starts
// it again with its next message.
func (s *soak) killChatAgent() {
	s.t.Helper()
	if pids := s.programs("scripted"); len(pids) > 0 {
		s.kill(pids[s.rng.IntN(len(pids))])
	}
}

// programs returns the descendants of the app that run a program.
func (s *soak) programs(name string) (pids []int) {
	for _, pid := range withDescendants(s.app.Process.Pid) {
		if exe, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe"); filepath.Base(exe) == name {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killChild returns a fault that kills a program of the app, which the app starts again.
func (s *soak) killChild(name string) func() {
	return func() {
		s.t.Helper()
		var old []int
		s.eventually(name+" runs", func() bool {
			old = s.programs(name)
			return len(old) == 1
		})
		s.kill(old[0])
		s.eventually("another "+name+" runs", func() bool {
			now := s.programs(name)
			return len(now) == 1 && now[0] != old[0]
		})
	}
}

func (s *soak) killApp() {
	s.t.Helper()
	s.kill(s.app.Process.Pid)
	<-s.done
	s.eventually("nothing of the killed app is left", func() bool { return len(s.ours()) == 0 })
	s.launch(options{})
}

// fillDisk fills the disk for a while.
func (s *soak) fillDisk() {
	s.t.Helper()
	free := smalldisk.Fill(s.t, filepath.Join(s.home, "state"))
	<-time.After(soakFull) // how long it is full is the fault itself
	free()
}
