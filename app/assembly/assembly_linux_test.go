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

// waited returns when somebody of this process waits for a lock: the kernel lists
// those that do, and tells nobody.
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

// TestAStartWaitsForWhatHasAsGoodAsEnded: between its endpoint file and its lock
// one that ends runs no longer, whatever takes it how long; one that listens runs.
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
