package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// write takes one event in: it is on disk before anybody sees it. The caller
// holds mu.
func (c *conversation) write(ev protocol.ChatEvent) error {
	if err := c.loadLocked(); err != nil {
		return err
	}
	ev.Index = c.events.Last() + 1 // nobody else appends
	if ev.Entry != nil && ev.Entry.Index == 0 {
		ev.Entry.Index = ev.Index
		if ev.Entry.ID == "" {
			ev.Entry.ID = "e" + strconv.FormatUint(ev.Index, 10)
		}
	}
	data, err := json.Marshal(ev)
	if err != nil {
		return fmt.Errorf("encoding an event of the conversation: %w", err)
	}
	if _, err := c.events.Append(data); err != nil {
		return unwritable(err)
	}
	c.last = ev.Index
	if c.fold1(ev) {
		c.state.Head.Entries++
	}
	c.show(ev)
	if len(c.window.items) > chatWindow {
		c.spill(chatWindow / 2)
	}
	return nil
}

// unwritable says in words that the disk did not take something. What is said
// already stays as it is.
func unwritable(err error) error {
	if _, said := errors.AsType[*protocol.Error](err); err == nil || said {
		return err
	}
	return protocol.NewError(protocol.CodeNotWritable, "the conversation cannot be written: "+journal.Reason(err), "make room on the disk, and try again")
}

// put writes an entry, new or changed, and returns its id.
func (c *conversation) put(e protocol.ChatEntry) (string, error) {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	err := c.write(protocol.ChatEvent{Op: protocol.ChatPut, Entry: &e})
	return e.ID, err
}

// entry returns an entry as it is now.
func (c *conversation) entry(id string) (protocol.ChatEntry, bool) {
	if i := c.window.byID[id]; i != nil {
		return i.whole(), true
	}
	if c.events == nil || id == "" {
		return protocol.ChatEntry{}, false
	}
	return c.fold.find(id)
}

// spill writes the first n entries of the window to disk and forgets them; more
// of the turn is to come.
func (c *conversation) spill(n int) {
	if err := c.foldOut(n, 0); err != nil {
		c.log.Warn("a part of a long turn could not be folded", "error", err)
		return // they stay in memory
	}
	c.window.drop(n)
}

// settle writes the whole window to disk: the fold goes to the last event then.
// The entries stay in memory, because the agent may still have a word about
// them.
func (c *conversation) settle() error {
	return c.foldOut(len(c.window.items), c.last)
}

// clearWindow forgets what stands on disk.
func (c *conversation) clearWindow() error {
	if err := c.settle(); err != nil {
		return unwritable(err)
	}
	c.window = newWindow()
	return nil
}

// foldOut writes those of the first n entries that changed since; the last of
// them says how far the fold goes.
func (c *conversation) foldOut(n int, through uint64) error {
	final := -1
	for at, i := range c.window.items[:n] {
		if !i.settled {
			final = at
		}
	}
	for at, i := range c.window.items[:final+1] {
		if i.settled {
			continue
		}
		data, err := json.Marshal(i.whole())
		if err != nil {
			return err
		}
		r := foldRecord{index: i.entry.Index, kind: foldEntry, id: i.entry.ID, data: data}
		if i.again {
			r.kind = foldAgain
		}
		if at == final {
			r.through = through
		}
		if err := c.fold.write(r); err != nil {
			return err
		}
		i.settled, i.again = true, true
	}
	return nil
}

// fold1 folds one event into the window and reports whether it made an entry.
func (c *conversation) fold1(ev protocol.ChatEvent) (fresh bool) {
	if ev.Op == protocol.ChatAppend && c.window.byID[ev.ID] == nil {
		// It was written to disk in the middle of a very long turn.
		if e, ok := c.fold.find(ev.ID); ok {
			c.window.put(e, ev.Index)
		}
	}
	return c.window.apply(ev)
}
