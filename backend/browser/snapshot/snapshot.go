// Package snapshot takes snapshots of pages: the outline of their contents, with
// refs.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"pilotfish/backend/browser/background"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// shot is the answer of world.js to a request for a snapshot.
type shot struct {
	Text   string                   `json:"text"`
	Refs   int                      `json:"refs"`
	More   int                      `json:"more"`
	Frames []frameLine              `json:"frames"`
	Items  []*protocol.SnapshotItem `json:"items"`
	URL    string                   `json:"url"` // of its document, as the page says
	Title  string                   `json:"title"`
}

// frameLine is the line of a frame in a snapshot.
type frameLine struct {
	Ref    string     `json:"ref"`
	Line   int        `json:"line"`
	Indent int        `json:"indent"`
	View   [4]float64 `json:"view"`
}

// snapshotArgs are the page script's SnapshotOptions.
type snapshotArgs struct {
	Caller      string      `json:"caller"`
	Interactive bool        `json:"interactive,omitempty"`
	Compact     bool        `json:"compact,omitempty"`
	Depth       int         `json:"depth,omitempty"`
	Scope       string      `json:"scope,omitempty"`
	Near        bool        `json:"near,omitempty"`
	Find        string      `json:"find,omitempty"`
	Max         int         `json:"max,omitempty"`
	Delta       bool        `json:"delta,omitempty"`
	Boxes       bool        `json:"boxes,omitempty"`
	JSON        bool        `json:"json,omitempty"`
	Header      bool        `json:"header,omitempty"`
	View        *[4]float64 `json:"view,omitempty"`
}

// Snapshots takes snapshots of the pages of a browser's tabs.
type Snapshots struct {
	tabs   page.Tabs
	events *background.Events
	marks  *overlay.Marks
}

// New returns the Snapshots of a browser's tabs; marks reports their changes.
func New(tabs page.Tabs, n *background.Events, marks *overlay.Marks) *Snapshots {
	return &Snapshots{tabs: tabs, events: n, marks: marks}
}

// Snapshot takes a snapshot of a tab's page, all its frames included. allow is asked
// about the page's address from before the snapshot and about that from after it, because
// the page can navigate in between; its error is returned instead of the snapshot. nil
// allows all.
func (ss *Snapshots) Snapshot(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.SnapshotRequest, allow func(url string) error) (protocol.Snapshot, error) {
	if allow == nil {
		allow = func(string) error { return nil }
	}
	var snap protocol.Snapshot
	err := ss.tabs.ReadPage(ctx, by, id, func(ctx context.Context, p *page.Page) (err error) {
		snap, err = take(ctx, p, by, q, allow)
		return err
	})
	if err == nil && q.News {
		snap.News, err = ss.events.Tell(ctx, by, id)
	}
	return snap, err
}

// take takes a snapshot of a page. The browser is asked for the address before the page
// is asked for its contents, and nobody waits for that answer in between.
func take(ctx context.Context, p *page.Page, by protocol.Caller, q protocol.SnapshotRequest, allow func(url string) error) (protocol.Snapshot, error) {
	before, err := page.AskWhere(ctx, p)
	if err != nil {
		return protocol.Snapshot{}, err
	}
	l := snapshotter{p: p, caller: by.Name, q: q}
	out, err := l.run(ctx)
	var info protocol.PageInfo
	if refused := before(ctx, &info); refused != nil {
		return protocol.Snapshot{}, refused
	}
	if refused := allow(info.URL); refused != nil {
		return protocol.Snapshot{}, refused
	}
	// The page may have gone elsewhere meanwhile. A single frame has said so in its answer, and
	// then the browser is not asked again.
	if err == nil && (l.asked > 1 || l.last.URL != info.URL || l.last.Title != info.Title) {
		err = p.Where(ctx, &info)
	}
	if err == nil {
		err = allow(info.URL)
	}
	if err != nil {
		return protocol.Snapshot{}, err
	}
	return protocol.Snapshot{URL: info.URL, Title: info.Title, Text: strings.Join(out.lines, "\n"), Refs: out.refs, More: out.more, Items: out.items}, nil
}

// snapshotter takes one snapshot of all frames.
type snapshotter struct {
	p      *page.Page
	caller string
	q      protocol.SnapshotRequest

	asked int  // how many frames were asked
	last  shot // the answer of the last one
}

// part is the result for a frame and the frames in it.
type part struct {
	lines []string
	refs  int
	more  int
	items []*protocol.SnapshotItem
}

var (
	frameScope  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@?f([1-9]\d*)$`) })
	handleScope = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@?(?:f([1-9]\d*))?(h[1-9]\d*)$`) })
	// keyedScope matches a target other than a ref or a plain selector, which means
	// one element.
	keyedScope = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:css|role|text|label)=`) })
	handleLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *… \d+ more )(h\d+)$`) })
)

func (l *snapshotter) run(ctx context.Context) (part, error) {
	scope := strings.TrimSpace(l.q.Scope)
	if m := handleScope().FindStringSubmatch(scope); m != nil {
		return l.behind(ctx, m[1], m[2])
	}
	main := l.p.Frames.Main()
	if scope == "" {
		return l.whole(ctx, main)
	}
	if m := frameScope().FindStringSubmatch(scope); m != nil {
		f, ok := l.p.Frames.Of(scope + "e")
		if !ok {
			return part{}, noFrame(scope)
		}
		return l.frame(ctx, f, "", nil, l.q.Max)
	}
	if keyedScope().MatchString(scope) {
		_, ref, err := elements.WhereIs(ctx, l.p, scope)
		if err != nil {
			return part{}, err
		}
		scope = ref
	}
	if page.RefScope().MatchString(scope) {
		f, ok := l.p.Frames.Of(scope)
		if !ok {
			return part{}, noFrame(scope)
		}
		var now page.Resolution
		if err := l.p.Ask(ctx, f, "resolve", map[string]string{"ref": scope}, &now); err != nil {
			return part{}, err
		}
		if now.State == "unknown" || now.State == "gone" {
			return part{}, now.Refusal()
		}
		return l.frame(ctx, f, scope, nil, l.q.Max)
	}
	for _, f := range l.p.Frames.All() {
		out, err := l.frame(ctx, f, scope, nil, l.q.Max)
		if f != main && (errors.Is(err, page.ErrReplaced) || errors.Is(err, page.ErrPDF)) {
			continue
		}
		if err != nil || len(out.lines) > 0 {
			return out, err
		}
	}
	return part{}, protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("nothing on the page that can be seen matches %.80q", scope), "", protocol.Try("shows the whole page", "snapshot"))
}

func noFrame(scope string) error {
	return protocol.NewError(protocol.CodeGone, "there is no frame of "+scope+" (any more)", "", page.SnapshotAgain())
}

// whole takes a snapshot of the whole page. With Find or Delta, frames are not
// inserted below their lines: each frame is asked separately.
func (l *snapshotter) whole(ctx context.Context, main *page.Frame) (part, error) {
	if l.q.Find == "" && !l.q.Delta {
		return l.frame(ctx, main, "", nil, l.q.Max)
	}
	var sum part
	budget := l.q.Max
	for _, f := range l.p.Frames.All() {
		seen := l.p.Frames.Seen(f, l.caller)
		if f != main && l.q.Delta && !seen {
			if !l.appeared(ctx, f, sum.lines) {
				continue
			}
		}
		one, err := l.single(ctx, f, budget)
		if f != main && (errors.Is(err, page.ErrReplaced) || errors.Is(err, page.ErrPDF)) {
			continue
		}
		if err != nil {
			return sum, err
		}
		sum.refs += one.refs
		sum.more += one.more
		sum.items = append(sum.items, one.items...)
		if len(one.lines) == 0 {
			continue
		}
		if f != main {
			sum.lines = append(sum.lines, fmt.Sprintf("in frame f%d:", f.Number))
		}
		sum.lines = append(sum.lines, one.lines...)
		if budget > 0 {
			budget = max(200, l.q.Max-length(sum.lines))
		}
	}
	return sum, nil
}

// appeared reports whether the line of a frame is among the new lines.
func (l *snapshotter) appeared(ctx context.Context, f *page.Frame, lines []string) bool {
	owner, err := page.OwnerOf(ctx, l.p, f)
	if err != nil {
		return false
	}
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "+ "+owner+" "); ok && rest != "" {
			return true
		}
	}
	return false
}

func (l *snapshotter) args(f *page.Frame, scope string, view *[4]float64, budget int) snapshotArgs {
	return snapshotArgs{
		Caller: l.caller, Interactive: l.q.Interactive, Compact: l.q.Compact, Depth: l.q.Depth, Scope: scope,
		Near: l.q.Near, Find: l.q.Find, Max: budget, Delta: l.q.Delta, Boxes: l.q.Boxes, JSON: l.q.JSON,
		Header: f.Number == 0 && scope == "" && !l.q.Delta, View: view,
	}
}

// single takes a snapshot of one frame without the frames in it.
func (l *snapshotter) single(ctx context.Context, f *page.Frame, budget int) (part, error) {
	var s shot
	if err := l.ask(ctx, f, l.args(f, "", nil, budget), &s); err != nil {
		return part{}, err
	}
	l.shown(f)
	return part{lines: handles(split(s.Text), f), refs: s.Refs, more: s.More, items: s.Items}, nil
}

// ask takes one snapshot. If closed shadow roots are found during a snapshot, it is
// taken again, and then the second one would report only their contents as changes.
// So a delta finds the closed roots first.
func (l *snapshotter) ask(ctx context.Context, f *page.Frame, args any, into *shot) error {
	if l.q.Delta {
		if err := l.p.AskWithRoots(ctx, f, "url", nil, nil); err != nil {
			return err
		}
	}
	err := l.p.AskWithRoots(ctx, f, "look", args, into)
	l.asked++
	l.last = *into
	return err
}

func (l *snapshotter) shown(f *page.Frame) {
	l.p.Frames.Show(f, l.caller)
}

// handleRoom is the length of the line for an omitted frame, without indentation.
const handleRoom = 48

// frame takes a snapshot of a frame and of the frames in it, and merges their lines.
func (l *snapshotter) frame(ctx context.Context, f *page.Frame, scope string, view *[4]float64, budget int) (part, error) {
	inner := l.p.Frames.Children(f)
	own := budget
	if budget > 0 {
		own = max(200, budget-handleRoom*len(inner))
	}
	var s shot
	if err := l.ask(ctx, f, l.args(f, scope, view, own), &s); err != nil {
		return part{}, err
	}
	l.shown(f)
	out := part{refs: s.Refs, more: s.More, items: s.Items}
	lines := handles(split(s.Text), f)
	if len(s.Frames) == 0 {
		out.lines = lines
		return out, nil
	}
	owners := l.owners(ctx, inner)
	left := budget - length(lines)
	at := 0
	for _, line := range s.Frames {
		out.lines = append(out.lines, lines[at:line.Line+1]...)
		at = line.Line + 1
		child := owners[line.Ref]
		if child == nil {
			continue
		}
		rest := 0
		if budget > 0 {
			if rest = left * 9 / 10; rest < 200 {
				out.more++
				out.lines = append(out.lines, fmt.Sprintf("%s… 1 more frame f%d", strings.Repeat(" ", line.Indent), child.Number))
				continue
			}
		}
		got, err := l.frame(ctx, child, "", &line.View, rest)
		if err != nil {
			switch {
			case errors.Is(err, page.ErrReplaced), errors.Is(err, page.ErrNoFrame):
				out.lines = append(out.lines, strings.Repeat(" ", line.Indent)+"… not loaded yet")
				continue
			case errors.Is(err, page.ErrPDF):
				out.lines = append(out.lines, strings.Repeat(" ", line.Indent)+page.PDFLine)
				continue
			}
			return part{}, err
		}
		left -= length(got.lines) + line.Indent*len(got.lines)
		out.add(got, line)
	}
	out.lines = append(out.lines, lines[at:]...)
	return out, nil
}

// add inserts the result of a child frame below the child's line.
func (out *part) add(got part, line frameLine) {
	indent := strings.Repeat(" ", line.Indent)
	for _, text := range got.lines {
		out.lines = append(out.lines, indent+text)
	}
	out.refs += got.refs
	out.more += got.more
	if item := find(out.items, line.Ref); item != nil {
		item.Children = append(item.Children, got.items...)
	}
}

func find(items []*protocol.SnapshotItem, ref string) *protocol.SnapshotItem {
	for _, item := range items {
		if item.Ref == ref {
			return item
		}
		if in := find(item.Children, ref); in != nil {
			return in
		}
	}
	return nil
}

// owners maps the refs of frame elements to their frames.
func (l *snapshotter) owners(ctx context.Context, frames []*page.Frame) map[string]*page.Frame {
	out := make(map[string]*page.Frame, len(frames))
	for _, f := range frames {
		if owner, err := page.OwnerOf(ctx, l.p, f); err == nil {
			out[owner] = f
		}
	}
	return out
}

// behind returns the lines that a handle stands for.
func (l *snapshotter) behind(ctx context.Context, number, handle string) (part, error) {
	n, _ := strconv.Atoi(number)
	f, ok := l.p.Frames.Of("f" + strconv.Itoa(n) + "e")
	if n == 0 {
		f, ok = l.p.Frames.Main(), true
	}
	var s *shot
	if ok {
		args := map[string]any{"handle": handle}
		if l.q.Max > 0 {
			args["max"] = l.q.Max
		}
		if err := l.p.Ask(ctx, f, "more", args, &s); err != nil {
			return part{}, err
		}
	}
	if s == nil {
		return part{}, protocol.NewError(protocol.CodeGone, "the handle "+handle+" is not known (any more)", "", page.SnapshotAgain())
	}
	return part{lines: handles(split(s.Text), f), more: s.More}, nil
}

// handles adds the frame's number to the handles of a child frame.
func handles(lines []string, f *page.Frame) []string {
	if f.Number == 0 {
		return lines
	}
	for i, line := range lines {
		if m := handleLine().FindStringSubmatch(line); m != nil {
			lines[i] = fmt.Sprintf("%sf%d%s", m[1], f.Number, m[2])
		}
	}
	return lines
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func length(lines []string) int {
	n := 0
	for _, line := range lines {
		n += utf8.RuneCountInString(line) + 1
	}
	return n
}
