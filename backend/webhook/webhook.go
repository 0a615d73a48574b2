// Package webhook posts what needs the user to an address of theirs: ntfy, Slack or any
// other receiver of JSON. A message says who needs the user, for what, and on which host;
// it has no text of a page, and no link by which it could be answered.
//
// The body is one JSON object: text for a person, which is what Slack shows and what ntfy
// shows with the query ?tpl=1&m={{.text}}, and kind, who, site and session for programs.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/attention"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

const (
	// settle is how long something must need the user before it is posted. What is
	// answered in this time is not.
	settle = 5 * time.Second
	// repeat is the minimum time between two messages that say the same.
	repeat = time.Minute
	// timeout is how long a receiver may take.
	timeout = 10 * time.Second
	// pause is how long a message that failed waits before the second and last attempt,
	// unless the receiver says how long; maxPause is the longest.
	pause, maxPause = 5 * time.Second, time.Minute
	// maxEvents is how many events wait at most.
	maxEvents = 32
)

// Config is what a Webhook needs. All fields are required unless they say otherwise.
type Config struct {
	// URL takes the place of the setting; nil for the setting.
	URL      *url.URL
	Settings *config.Store
	Logger   *slog.Logger
}

// Webhook posts messages. Its methods are safe for concurrent use, and all but Run return
// at once.
type Webhook struct {
	cfg       Config
	log       *slog.Logger
	transport *http.Transport // not a client: no redirect is followed, and no error has the address
	wake      chan struct{}   // notifies Run that notices have changed

	mu      sync.Mutex
	notices map[key]*notice
	events  int // counts events, so that each has a key
}

// key names a need for as long as it lasts.
type key struct {
	kind    attention.Kind
	session protocol.SessionName
	id      string
}

// notice is a need that was posted, or will be.
type notice struct {
	attention.Need
	due   time.Time
	done  bool // posted, or seen by the user
	event bool // it does not end by itself
}

// New returns a Webhook that has nothing to post.
func New(cfg Config) *Webhook {
	return &Webhook{
		cfg: cfg, log: cfg.Logger.With("component", "webhook"), wake: make(chan struct{}, 1), notices: map[key]*notice{},
		transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
	}
}

// On reports whether there is an address.
func (w *Webhook) On() bool { return w.address() != nil }

func (w *Webhook) address() *url.URL {
	if w.cfg.URL != nil {
		return w.cfg.URL
	}
	if w.cfg.Settings == nil { // in tests of other parts
		return nil
	}
	u, err := config.NotifyURL(w.cfg.Settings.Get().NotifyURL)
	if err != nil {
		return nil // empty: the settings refuse a wrong one
	}
	return u
}

// Update replaces what needs the user now.
func (w *Webhook) Update(needs []attention.Need) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.notices
	w.notices = make(map[key]*notice, len(needs))
	for k, n := range before {
		if n.event {
			w.notices[k] = n
		}
	}
	for _, need := range needs {
		k := key{need.Kind, need.Session, need.ID}
		n := before[k]
		if n == nil {
			n = &notice{Need: need, due: time.Now().Add(settle)}
		}
		n.done = n.done || need.Seen
		w.notices[k] = n
	}
	w.again()
}

// Tell posts an event, which nothing takes back.
func (w *Webhook) Tell(need attention.Need) {
	if !w.On() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := 0
	for _, n := range w.notices {
		if n.event {
			waiting++
		}
	}
	if waiting >= maxEvents {
		w.log.Warn("too many notices wait; one is dropped", "kind", need.Kind)
		return
	}
	w.events++
	w.notices[key{need.Kind, need.Session, strconv.Itoa(w.events)}] = &notice{Need: need, due: time.Now(), event: true}
	w.again()
}

func (w *Webhook) again() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// topic is what a message says. Equal messages are not posted in a row.
type topic struct {
	kind      attention.Kind
	session   protocol.SessionName
	who, site string
}

// Run posts messages, one after the other, until ctx ends.
func (w *Webhook) Run(ctx context.Context) {
	posted := map[topic]time.Time{} // when
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-timer.C:
		}
		need, next := w.next(posted)
		if to := w.address(); need != nil && to != nil {
			w.post(ctx, to, *need)
		}
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}

// next returns what is due now, which counts as done then, nil for nothing, and when Run has
// to ask again; zero for never.
func (w *Webhook) next(posted map[topic]time.Time) (need *attention.Need, at time.Time) {
	now := time.Now()
	for t, when := range posted {
		if now.Sub(when) >= repeat {
			delete(posted, t)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, n := range w.notices {
		t := topic{n.Kind, n.Session, n.Who, n.Site}
		due := n.due
		if last, is := posted[t]; is && last.Add(repeat).After(due) {
			due = last.Add(repeat)
		}
		switch {
		case n.done:
			continue
		case need == nil && !due.After(now):
			n.done, need = true, &n.Need
			posted[t] = now
			if n.event {
				delete(w.notices, k)
			}
			continue
		}
		if at.IsZero() || due.Before(at) {
			at = due
		}
	}
	return need, at
}

// message is the body of a post.
type message struct {
	Text string `json:"text"`
	attention.Need
}

// text is what a person reads. In Slack <…> is a link, or calls everybody.
func text(n attention.Need) string {
	said := "Pilotfish: " + n.Says()
	if n.Site != "" {
		said += " on " + n.Site
	}
	if n.Session != "" && n.Session != protocol.DefaultSession && n.Kind != attention.KindSession {
		said += " (session " + string(n.Session) + ")"
	}
	return strings.NewReplacer("<", "‹", ">", "›").Replace(said)
}

// post sends a message, and once more if the failure may pass.
func (w *Webhook) post(ctx context.Context, to *url.URL, need attention.Need) {
	body, err := json.Marshal(message{text(need), need})
	if err != nil {
		panic(err) // a struct of texts always has JSON
	}
	wait, err := w.try(ctx, to, body)
	if err != nil && wait > 0 {
		w.log.Debug("notice could not be posted and is tried again", "kind", need.Kind, "wait", wait, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		_, err = w.try(ctx, to, body)
	}
	if err != nil && ctx.Err() == nil {
		w.log.Warn("notice could not be posted", "kind", need.Kind, "error", err)
	}
}

// try sends a message. Its error does not quote the address; wait is when another attempt
// makes sense, 0 for never.
func (w *Webhook) try(ctx context.Context, to *url.URL, body []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the address cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Pilotfish")
	if to.User != nil {
		password, _ := to.User.Password()
		r.SetBasicAuth(to.User.Username(), password)
	}
	reply, err := w.transport.RoundTrip(r)
	if err != nil {
		return pause, fmt.Errorf("reaching the receiver: %w", err)
	}
	_ = reply.Body.Close() // nothing of it is needed
	if reply.StatusCode/100 == 2 {
		return 0, nil
	}
	if reply.StatusCode == http.StatusTooManyRequests || reply.StatusCode/100 == 5 {
		wait = min(cmp.Or(retryAfter(reply.Header), pause), maxPause)
	}
	return wait, fmt.Errorf("the receiver answered %d", reply.StatusCode)
}

// retryAfter returns how long a receiver asks to wait; 0 when it does not.
func retryAfter(h http.Header) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil {
		return time.Duration(min(max(seconds, 0), int(maxPause.Seconds()))) * time.Second
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	return max(time.Until(at), 0)
}
