package assembly

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// waited returns when some goroutine of this process waits for a file lock. The
// kernel lists waiters but does not notify, so it polls.
func waited(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "-> FLOCK") && strings.Contains(line, fmt.Sprintf(" %d ", os.Getpid())) {
				return
			}
		}
	}
	t.Fatal("nobody waits for the lock")
}

// TestAStartWaitsForWhatHasAsGoodAsEnded: an instance that has removed its
// endpoint file and still holds its lock counts as ended, however long it takes.
// One that listens counts as running.
func TestAStartWaitsForWhatHasAsGoodAsEnded(t *testing.T) {
	dirs := config.Dirs{Config: filepath.Join(t.TempDir(), "config"), State: filepath.Join(t.TempDir(), "state")}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	held, err := instance.Acquire(dirs.LockFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := instance.WriteEndpoint(dirs.EndpointFile(), protocol.Endpoint{Port: 1, Token: "secret"}); err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(t.Context(), dirs, time.Hour); !errors.Is(err, instance.ErrRunning) {
		t.Errorf("beside one that listens: %v", err)
	}
	for _, ending := range []bool{true, false} {
		if ending {
			err = instance.WriteEndpoint(dirs.EndpointFile(), protocol.Endpoint{Port: 1, Token: "secret", Ending: true})
		} else {
			err = instance.RemoveEndpoint(dirs.EndpointFile())
		}
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		var next *instance.Lock
		go func() {
			var err error
			next, err = acquire(t.Context(), dirs, time.Hour)
			got <- err
		}()
		waited(t)
		if err := held.Release(); err != nil {
			t.Fatal(err)
		}
		if err := <-got; err != nil {
			t.Fatalf("ending %v: %v", ending, err)
		}
		held = next
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
}
