// Package chat measures conversations: the backend under load, and the panel that
// shows them.
package chat

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pilotfish/app/bench/report"
	"pilotfish/backend/protocol"
)

// Benches measure conversations in a backend without a panel.
func Benches() []report.Bench {
	return []report.Bench{
		{Rows: []string{"chat.send", "chat.send99"}, Run: chatSend},
		{Rows: []string{"chat.load", "chat.delivery", "chat.cores", "chat.memory"}, Run: chatLoad},
		{Rows: []string{"chat.after"}, Run: chatAfter},
	}
}

// post sends a request as the panel does.
func (b *chatBackend) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+b.token)
	req.Header.Set("Origin", protocol.ExtensionOrigin)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", path, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking for %s: %s %.300s (%w)", path, res.Status, text, err)
	}
	return json.Unmarshal(text, out)
}

// begin creates a conversation.
func (b *chatBackend) begin(ctx context.Context, id protocol.ConversationID) error {
	var head protocol.Conversation
	return b.post(ctx, "/chat/start", protocol.ChatStartRequest{Conversation: id, Agent: protocol.AgentCustom}, &head)
}

func (b *chatBackend) send(ctx context.Context, id protocol.ConversationID, text string) error {
	var head protocol.Conversation
	return b.post(ctx, "/chat/send", protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(cryptorand()), Text: text}, &head)
}

func cryptorand() string { return rand.Text() }

// watcher is a client of the panel's socket.
type watcher struct {
	conn *websocket.Conn
	// known are the texts whose start was seen: an entry that is put again
	// contains nothing new.
	known map[string]bool
}

func (b *chatBackend) watch(ctx context.Context) (*watcher, error) {
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(b.url, "http")+"/panel", &websocket.DialOptions{ //nolint:bodyclose // the library's
		HTTPHeader:   http.Header{"Origin": {protocol.ExtensionOrigin}},
		Subprotocols: []string{protocol.Version, protocol.TokenSubprotocol + b.token},
	})
	if err != nil {
		return nil, fmt.Errorf("connecting a panel: %w", err)
	}
	conn.SetReadLimit(64 << 20)
	return &watcher{conn: conn, known: map[string]bool{}}, nil
}

func (w *watcher) ask(ctx context.Context, m protocol.PanelMessage) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.conn.Write(ctx, websocket.MessageText, b)
}

// look watches a conversation and waits for its first page, so that everything
// after it is new.
func (w *watcher) look(ctx context.Context, id protocol.ConversationID) error {
	if err := w.ask(ctx, protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: id}); err != nil {
		return err
	}
	for {
		if ev, err := w.next(ctx); err != nil || ev.Page != nil {
			return err
		}
	}
}

// next returns the next events of a conversation, and skips other events.
func (w *watcher) next(ctx context.Context) (protocol.ChatEventsEvent, error) {
	for {
		_, data, err := w.conn.Read(ctx)
		if err != nil {
			return protocol.ChatEventsEvent{}, fmt.Errorf("reading as a panel: %w", err)
		}
		if !bytes.HasPrefix(data, []byte(`{"type":"chat"`)) {
			continue
		}
		var ev protocol.ChatEventsEvent
		err = json.Unmarshal(data, &ev)
		return ev, err
	}
}

// spoken yields the numbered words in the new part of an event.
func (w *watcher) spoken(ev protocol.ChatEventsEvent, yield func(number int, at time.Time)) {
	words := func(text string) {
		for word := range strings.FieldsSeq(text) {
			number, nanos, ok := strings.Cut(word, "@")
			n, err1 := strconv.Atoi(number)
			at, err2 := strconv.ParseInt(nanos, 10, 64)
			if ok && err1 == nil && err2 == nil {
				yield(n, time.Unix(0, at))
			}
		}
	}
	for _, e := range ev.Events {
		switch {
		case e.Op == protocol.ChatAppend:
			words(e.Text)
		case e.Op == protocol.ChatPut && e.Entry.Kind == protocol.EntryText && !w.known[string(ev.Conversation)+e.Entry.ID]:
			w.known[string(ev.Conversation)+e.Entry.ID] = true
			words(e.Entry.Text)
		}
	}
}

// chatSend measures from the panel's request until the prompt arrives in the
// agent's process.
func chatSend(ctx context.Context, o report.Options) ([]report.Row, error) {
	runs := 300
	if o.Quick {
		runs = 40
	}
	b, err := startChat(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Stop() }()
	w, err := b.watch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.conn.CloseNow() }()
	const id = "send"
	if err := b.begin(ctx, id); err != nil {
		return nil, err
	}
	if err := w.look(ctx, id); err != nil {
		return nil, err
	}
	var took []float64
	for i := range runs + 3 {
		pressed := time.Now()
		if err := b.send(ctx, id, "stamp"); err != nil {
			return nil, err
		}
		arrived, ended := time.Time{}, false
		for !ended || arrived.IsZero() {
			ev, err := w.next(ctx)
			if err != nil {
				return nil, err
			}
			w.spoken(ev, func(_ int, at time.Time) { arrived = at })
			for _, e := range ev.Events {
				ended = ended || e.Op == protocol.ChatHead && e.Head.Message == "" && !arrived.IsZero()
			}
		}
		if i >= 3 { // the first ones start the agent
			took = append(took, report.MS(arrived.Sub(pressed)))
		}
	}
	p99 := report.Percentile(took, 0.99)
	return []report.Row{
		report.Row{Name: "chat.send", Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs}.With99(p99),
		{Name: "chat.send99", Unit: "ms", Value: p99, Rule: report.Informs},
	}, nil
}

// load collects the result of a run of many conversations.
type load struct {
	mu        sync.Mutex
	next      map[protocol.ConversationID]int
	delays    []float64
	lost, bad int
}

// take records one word.
func (l *load) take(id protocol.ConversationID, number int, at, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch want := l.next[id]; {
	case number < want:
		l.bad++
	default:
		l.lost += number - want
		l.next[id] = number + 1
	}
	l.delays = append(l.delays, report.MS(now.Sub(at)))
}

// chatLoad runs 50 conversations with 100 words a second each.
func chatLoad(ctx context.Context, o report.Options) ([]report.Row, error) {
	const conversations, rate = 50, 100
	seconds := 20
	if o.Quick {
		seconds = 5
	}
	b, err := startChat(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Stop() }()
	l := &load{next: map[protocol.ConversationID]int{}}
	ids := make([]protocol.ConversationID, conversations)
	w, err := b.watch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.conn.CloseNow() }()
	for i := range ids {
		ids[i] = protocol.ConversationID(fmt.Sprint("load-", i))
		if err := b.begin(ctx, ids[i]); err != nil {
			return nil, err
		}
		if err := w.look(ctx, ids[i]); err != nil {
			return nil, err
		}
	}
	used, err := b.CPU()
	if err != nil {
		return nil, err
	}
	began, peak := time.Now(), 0.0
	for _, id := range ids {
		if err := b.send(ctx, id, fmt.Sprintf("rate %d %d", rate, seconds)); err != nil {
			return nil, err
		}
	}
	ended := map[protocol.ConversationID]bool{}
	for len(ended) < conversations {
		ev, err := w.next(ctx)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		if ev.Page != nil {
			return nil, errors.New("the viewer could not keep up: it was given a page")
		}
		w.spoken(ev, func(n int, at time.Time) { l.take(ev.Conversation, n, at, now) })
		for _, e := range ev.Events {
			if e.Entry != nil && e.Entry.Kind == protocol.EntryEnd {
				ended[ev.Conversation] = true
				if m, err := b.Resident(); err == nil {
					peak = max(peak, m)
				}
			}
		}
	}
	took := time.Since(began)
	after, err := b.CPU()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		l.lost += max(0, rate*seconds-l.next[id])
	}
	return []report.Row{
		{Name: "chat.load", Unit: "words lost or out of order", Value: float64(l.lost + l.bad), Rule: report.ValueAtMost, Limit: 0, Notes: []string{fmt.Sprintf("%d words of %d conversations", len(l.delays), conversations)}},
		report.Row{Name: "chat.delivery", Unit: "ms", Value: report.Percentile(l.delays, 0.99), Rule: report.Informs, Notes: []string{"the 99th percentile"}}.With99(report.Percentile(l.delays, 1)),
		{Name: "chat.cores", Unit: "cores", Value: (after - used).Seconds() / took.Seconds(), Rule: report.ValueAtMost, Limit: 1.5},
		{Name: "chat.memory", Unit: "MB", Value: peak, Rule: report.ValueAtMost, Limit: 300},
	}, nil
}

// chatAfter requests what is new after an index, anywhere in a conversation of a
// million entries.
func chatAfter(ctx context.Context, o report.Options) ([]report.Row, error) {
	entries, runs := 1_000_000, 200
	if o.Quick {
		entries, runs = 100_000, 30
	}
	b, err := startChat(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Stop() }()
	w, err := b.watch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.conn.CloseNow() }()
	const id = "after"
	if err := b.begin(ctx, id); err != nil {
		return nil, err
	}
	if err := b.send(ctx, id, fmt.Sprintf("fill %d", entries)); err != nil {
		return nil, err
	}
	last, err := b.filled(ctx, w, id, entries)
	if err != nil {
		return nil, err
	}
	var took []float64
	for range runs {
		after := uint64(1 + mathrand.IntN(int(last)-1)) //nolint:gosec // positive
		asked := time.Now()
		if err := w.ask(ctx, protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: id, After: after}); err != nil {
			return nil, err
		}
		ev, err := w.next(ctx)
		if err != nil {
			return nil, err
		}
		took = append(took, report.MS(time.Since(asked)))
		if ev.Page == nil && len(ev.Events) == 0 {
			return nil, errors.New("there is nothing after an index")
		}
	}
	return []report.Row{report.Row{
		Name: "chat.after", Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs, Notes: []string{fmt.Sprintf("%d entries", entries)},
	}.With99(report.Percentile(took, 0.99))}, nil
}

// filled waits until a conversation has its entries and is idle, and returns its
// last index.
func (b *chatBackend) filled(ctx context.Context, w *watcher, id protocol.ConversationID, entries int) (uint64, error) {
	if err := w.ask(ctx, protocol.PanelMessage{Type: protocol.PanelWatch, Conversation: id}); err != nil {
		return 0, err
	}
	for {
		ev, err := w.next(ctx)
		if err != nil {
			return 0, err
		}
		heads := []protocol.Conversation{}
		if ev.Page != nil {
			heads = append(heads, ev.Page.Head)
		}
		for _, e := range ev.Events {
			if e.Head != nil {
				heads = append(heads, *e.Head)
			}
		}
		for _, head := range heads {
			if head.Message == "" && head.Entries > entries {
				return head.Index, w.ask(ctx, protocol.PanelMessage{Type: protocol.PanelUnwatch, Conversation: id})
			}
		}
	}
}
