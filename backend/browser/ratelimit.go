package browser

import "time"

// burst is a rate limit: it allows n events in a sliding window. It keeps
// Pilotfish from reinstalling the extension for ever when the user removes it for
// good.
type burst struct {
	n      int
	window time.Duration
	times  []time.Time
}

func newRateLimit(n int, window time.Duration) *burst { return &burst{n: n, window: window} }

func (b *burst) allow() bool {
	now := time.Now()
	for len(b.times) > 0 && now.Sub(b.times[0]) > b.window {
		b.times = b.times[1:]
	}
	if len(b.times) >= b.n {
		return false
	}
	b.times = append(b.times, now)
	return true
}
