package feed

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"pilotfish/backend/browser/observe"
	"pilotfish/backend/protocol"
)

// Browser is the part of the browser that the feeds of a tab use.
type Browser interface {
	Tabs() []protocol.Tab
	// InspectorEvents returns the events of a tab after an index, until ctx ends, each
	// with whether events before it are missing.
	InspectorEvents(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.InspectorEvent, bool]
	FollowNetwork(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[observe.Changes[protocol.NetworkItem], error]
	FollowConsole(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[observe.Changes[protocol.ConsoleItem], error]
	FollowElements(ctx context.Context, tab protocol.TabID) iter.Seq2[[]protocol.ElementItem, error]
	FollowFaults(ctx context.Context, tab protocol.TabID) iter.Seq2[observe.Changes[observe.Faults], error]
	NetworkRules(tab protocol.TabID) []protocol.NetworkRule
	Emulation(tab protocol.TabID) protocol.Emulation
	OverridesChanged() <-chan struct{}
}

// Network is the feed of a tab's requests.
func Network(b Browser) Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		return batches(b.FollowNetwork(ctx, tab, after))
	}
}

// Console is the feed of a tab's console.
func Console(b Browser) Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		return batches(b.FollowConsole(ctx, tab, after))
	}
}

func batches[T any](changes iter.Seq2[observe.Changes[T], error]) iter.Seq2[protocol.FeedBatch, error] {
	return func(yield func(protocol.FeedBatch, error) bool) {
		for c, err := range changes {
			var batch protocol.FeedBatch
			if err == nil {
				batch, err = Batch(c.Items, c.Last)
				batch.Gap = c.Gap
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// Signals is the feed of a tab's protocol.TabSignals: a state, of which each batch has
// the newest.
func Signals(b Browser) Source {
	return func(ctx context.Context, tab protocol.TabID, _ uint64) iter.Seq2[protocol.FeedBatch, error] {
		return func(yield func(protocol.FeedBatch, error) bool) {
			// It reads the faults beside the overrides. Both ends are here: leaving the
			// loop below ends the reader, which is waited for.
			ctx, cancel := context.WithCancel(ctx)
			type read struct {
				faults observe.Faults
				err    error
			}
			faults, done := make(chan read), make(chan struct{})
			go func() {
				defer close(done)
				for c, err := range b.FollowFaults(ctx, tab) {
					now := read{err: err}
					if len(c.Items) > 0 {
						now.faults = c.Items[len(c.Items)-1]
					}
					select {
					case faults <- now:
					case <-ctx.Done():
						return
					}
				}
			}()
			defer func() { cancel(); <-done }()
			var last protocol.TabSignals
			var now observe.Faults
			for sent := uint64(0); ; {
				changed := b.OverridesChanged()
				if is := signals(b, tab, now); sent == 0 || is != last {
					last = is
					sent++
					if !yield(Batch([]protocol.TabSignals{is}, sent)) {
						return
					}
				}
				select {
				case r := <-faults:
					if r.err != nil {
						yield(protocol.FeedBatch{}, r.err)
						return
					}
					now = r.faults
				case <-changed:
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

func signals(b Browser, tab protocol.TabID, faults observe.Faults) protocol.TabSignals {
	out := protocol.TabSignals{Errors: faults.Errors, Warnings: faults.Warnings}
	for _, rule := range b.NetworkRules(tab) {
		if rule.Block {
			out.Blocked++
		} else {
			out.Mocked++
		}
	}
	if n := b.Emulation(tab).Network; n != nil {
		out.Throttle = n.Name
	}
	return out
}

// Elements is the feed of what can be acted on in a tab. Each follower gets the whole
// list first.
func Elements(b Browser) Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		return func(yield func(protocol.FeedBatch, error) bool) {
			last := after
			for items, err := range b.FollowElements(ctx, tab) {
				var batch protocol.FeedBatch
				if err == nil {
					last += uint64(len(items))
					batch, err = Batch(items, last)
				}
				if !yield(batch, err) || err != nil {
					return
				}
			}
		}
	}
}

// Inspector is the feed of the panel's Inspector: what happens to the element of a tab that
// was read last. Reading and editing are commands.
func Inspector(browser Browser) Source {
	return func(ctx context.Context, tab protocol.TabID, after uint64) iter.Seq2[protocol.FeedBatch, error] {
		return func(yield func(protocol.FeedBatch, error) bool) {
			if !slices.ContainsFunc(browser.Tabs(), func(t protocol.Tab) bool { return t.ID == tab }) {
				err := protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %.20q", string(tab)), "", protocol.Try("lists the tabs", "tabs"))
				yield(protocol.FeedBatch{}, err)
				return
			}
			for event, gap := range browser.InspectorEvents(ctx, tab, after) {
				batch, err := Batch([]protocol.InspectorEvent{event}, event.Index)
				batch.Gap = gap
				if !yield(batch, err) {
					return
				}
			}
		}
	}
}
