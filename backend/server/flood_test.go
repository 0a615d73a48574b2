package server_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// THREATS 17: guessing and a flood of sockets achieve nothing, and a live
// socket continues undisturbed. The times are logged, not asserted: the
// benchmark measures them; this test proves that every ping is answered.
func TestBruteForceAndFloodLeaveALiveSocketAlone(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	_, cli := w.mint(auth.KindCLI)
	live := w.panel(t, token)

	var attack sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	// More guessers than may wait, so that some are rejected; and a limited number
	// of guesses in all.
	var guesses atomic.Int32
	answered := make(chan struct{}, 1) // a guess
	for worker := range 3 * protocol.AuthFailureWaiters {
		attack.Go(func() {
			for i := 0; guesses.Add(1) <= 600; i++ {
				guess := "guess-" + strconv.Itoa(worker) + "-" + strconv.Itoa(i)
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(w.port)+"/tabs", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+guess)
				res, err := w.client.Do(req)
				status := 0 // cut off, to make room for another connection
				if err == nil {
					status = res.StatusCode
					_ = res.Body.Close()
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				select {
				case answered <- struct{}{}:
				default:
				}
			}
		})
	}
	attack.Go(func() {
		for range 500 {
			conn, err := w.dial(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }() //nolint:gocritic // all stay open together: that is the attack
		}
		// While silent sockets take every place, the next caller still gets in.
		if got := w.do(t, ask{path: "/tabs", token: cli}); got.status != http.StatusOK {
			t.Errorf("a right caller in the flood: %d", got.status)
		}
	})
	over := make(chan struct{})
	go func() { attack.Wait(); close(over) }()

	var times []time.Duration
	for pings := 0; ; pings++ {
		begun := time.Now()
		say(t, live, protocol.PanelMessage{Type: protocol.PanelPing, ID: pings})
		if kind := next(t, live); kind != protocol.PanelPong {
			t.Fatalf("message %q", kind)
		}
		times = append(times, time.Since(begun))
		select {
		case <-over:
			slices.Sort(times)
			t.Logf("%d pings during the attack: p50 %v, p99 %v; answers to guesses %v",
				len(times), times[len(times)/2], times[len(times)*99/100], statuses)
			if statuses[http.StatusOK] != 0 || statuses[http.StatusUnauthorized] == 0 || statuses[http.StatusTooManyRequests] == 0 {
				t.Errorf("answers to guesses: %v", statuses)
			}
			return
		case <-answered:
		}
	}
}
