package proc

import (
	"bufio"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// limitDescriptors sets how many descriptors this process may have, until the test
// ends or restore is called. Those that are open stay open.
func limitDescriptors(t *testing.T, n int) (restore func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	restore = func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(restore)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(n), Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return restore
}

// TestFewDescriptors: no program is started when few descriptors are free (fault 32),
// and it is when there are enough again.
func TestFewDescriptors(t *testing.T) {
	used, err := openDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	restore := limitDescriptors(t, used+spareDescriptors-1)
	_, err = Start(t.Context(), Config{Path: "/bin/true"})
	if e := protocol.AsError(err); e.Code != protocol.CodeBusy || e.Hint == "" {
		t.Errorf("started with few descriptors: %v", err)
	}
	restore()
	p, _ := script(t, Config{}, "exit 7")
	<-p.Done()
	if code := p.Exit().Code; code != 7 {
		t.Errorf("exit code %d", code)
	}
}

// TestStopWithoutDescriptors stops a tree while no descriptor is free, so that the
// process table cannot be read (fault 32). The process group is ended, and the error
// says that nobody could look for more. When descriptors become free meanwhile, the
// daemon is ended, too.
func TestStopWithoutDescriptors(t *testing.T) {
	for name, freed := range map[string]bool{"never free": false, "free again": true} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			p, err := Start(t.Context(), Config{
				Path: "/bin/bash", Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: w, Logger: testLogger(t),
				Args: []string{"-c", `trap 'echo told' TERM; trap '' HUP; (exec setsid sleep 988) & echo $!; (exec sleep 988) & echo $!; echo $$; while :; do wait; done`},
			})
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			out := bufio.NewReader(r)
			daemon, child, leader := readPID(t, out), readPID(t, out), readPID(t, out)
			t.Cleanup(func() { _ = daemon.signal(unix.SIGKILL) })
			restore := limitDescriptors(t, 3) // the standard ones
			stopped := make(chan error, 1)
			go func() { stopped <- p.Stop("the test stops it") }()
			if line, err := out.ReadString('\n'); line != "told\n" {
				t.Errorf("the leader said %q, %v", line, err)
			}
			if freed {
				restore()
			}
			err = <-stopped
			restore()
			mustEnd(t, leader, child)
			if !freed {
				if !noDescriptor(err) {
					t.Errorf("the daemon cannot be seen, and the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Error(err)
			}
			mustEnd(t, daemon)
		})
	}
}
