// Package recording records the actions in a tab, as steps and as a video, and saves
// recorded steps as routines.
package recording

import (
	"context"
	_ "embed"
	"maps"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/capture"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/history"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

const feature = "record"

const (
	// recordSteps and recordFrames limit the length of a recording.
	recordSteps  = 2000
	recordFrames = 1200
	// recordRate is the maximum number of images per second in a video.
	recordRate = 10
)

// Config holds the dependencies of Recordings.
type Config struct {
	// Folder is where videos and routines are saved.
	Folder files.Folder
	// History knows a tab's address.
	History *history.History
	// Capture takes the screenshots of a tab that draws nothing.
	Capture *capture.Capture
	// Events receives RoutineSaved.
	Events *hub.Hub[any]
}

// RoutineSaved is the event that a recorded routine was saved.
type RoutineSaved struct{}

// Recordings holds the recordings of a browser's tabs.
type Recordings struct {
	tabs   watch.Source
	config Config
	states states
}

// New returns the Recordings of a browser's tabs. It has no recordings yet.
func New(tabs watch.Source, c Config) *Recordings { return &Recordings{tabs: tabs, config: c} }

//go:embed record.js
var recordScript string

// The world and the binding of a recording. Only that world has the binding, so a
// page cannot send us anything.
const (
	recordWorld   = "pilotfish-record"
	recordBinding = "pilotfishRecord"
)

// recorder collects the actions in a tab, by a user or by a command: both reach the
// page as the same trusted events.
type recorder struct {
	mu      sync.Mutex
	steps   []protocol.RecordedStep
	dropped int
	url     string // the last address; a recorded step accounts for it
	acted   bool   // a recorded action may have led to the next address
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
	video   *film
	format  string // the video's format, as requested at the start
	began   time.Time
	gone    func()
	held    bool // it takes no more steps, and waits to be saved or discarded
}

func (r *recorder) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if r.isHeld() {
		return nil
	}
	err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	if err == nil {
		// Only sessions with the Runtime domain enabled receive calls of the binding.
		err = devtools.Post(ctx, s, runtime.Enable, cdp.Empty{})
	}
	if err == nil {
		err = devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: recordBinding, ExecutionContextName: recordWorld})
	}
	if err != nil {
		return err
	}
	source, now := recordScript, true
	if r.video != nil {
		source = "globalThis.pilotfishFilmed = true;\n" + source
	}
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: source, WorldName: recordWorld, RunImmediately: &now,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	// Frames of other sites come and go while the tab stays.
	maps.DeleteFunc(r.scripts, func(s *devtools.Session, _ cdppage.ScriptIdentifier) bool { return s.Ended() })
	r.scripts[s] = res.Identifier
	video := r.video
	r.mu.Unlock()
	if video != nil && !child {
		return video.begin(ctx, s)
	}
	return nil
}

func (r *recorder) End(ctx context.Context, s *devtools.Session) {
	r.mu.Lock()
	id, ok := r.scripts[s]
	video := r.video
	r.mu.Unlock()
	if ok {
		_ = devtools.Post(ctx, s, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
		_ = devtools.Post(ctx, s, runtime.RemoveBinding, runtime.RemoveBindingParams{Name: recordBinding})
	}
	if video != nil {
		video.end(ctx, s)
	}
}

func (r *recorder) Event(ctx context.Context, s *devtools.Session, e devtools.Event) {
	if r.isHeld() {
		return
	}
	switch e.Method {
	case runtime.BindingCalled.Method:
		v, ok := devtools.Decode(e, runtime.BindingCalled)
		if !ok || v.Name != recordBinding {
			return
		}
		said, ok := parse(v.Payload)
		switch {
		case ok && said.Do == "pointer":
			if r.video != nil {
				r.video.point(said)
			}
		case ok:
			r.add(said.RecordedStep)
		}
	case cdppage.FrameNavigated.Method:
		v, ok := devtools.Decode(e, cdppage.FrameNavigated)
		if !ok || v.Frame == nil || v.Frame.ParentID != "" {
			return
		}
		r.arrived(v.Frame.URL)
	case cdppage.ScreencastFrame.Method:
		r.mu.Lock()
		video := r.video
		r.mu.Unlock()
		if v, ok := devtools.Decode(e, cdppage.ScreencastFrame); ok && video != nil {
			video.frame(ctx, s, &v)
		}
	}
}

// arrived records an address that no earlier step led to.
func (r *recorder) arrived(url string) {
	r.mu.Lock()
	led := r.acted || url == r.url
	r.url, r.acted = url, false
	r.mu.Unlock()
	if !led && url != "about:blank" {
		r.add(protocol.RecordedStep{Do: "goto", URL: url})
	}
}

func (r *recorder) add(step protocol.RecordedStep) {
	step.At = time.Now().UTC()
	if r.video != nil {
		r.video.caption(step)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if step.Do != "goto" {
		r.acted = true
	}
	if len(r.steps) >= recordSteps {
		r.dropped++
		return
	}
	if n := len(r.steps); n > 0 && step.Do == "fill" && r.steps[n-1].Do == "fill" && r.steps[n-1].CSS == step.CSS {
		r.steps[n-1] = step // only the field's last value counts
		return
	}
	if step.Do == "dblclick" { // a double click is reported after the two clicks of which it consists
		for range 2 {
			if n := len(r.steps); n > 0 && r.steps[n-1].Do == "click" && r.steps[n-1].CSS == step.CSS {
				// Keep the first click's step: it found the page as the next replay
				// will.
				step, r.steps = r.steps[n-1], r.steps[:n-1]
				step.Do, step.At = "dblclick", time.Now().UTC()
			}
		}
	}
	r.steps = append(r.steps, step)
}

// StartRecording begins to record the actions in a tab, and a video of it when video
// is a format: "webm", "avi" or "gif".
func (rs *Recordings) StartRecording(ctx context.Context, by protocol.Caller, id protocol.TabID, video string) error {
	k, err := rs.tabs.Of(ctx, id)
	if err != nil {
		return err
	}
	if old, there := watch.Get[*recorder](k, feature); there && old.isHeld() {
		return protocol.NewError(protocol.CodeBusy, "the last recording of "+string(id)+" is kept until it is saved or discarded", "", protocol.Try("removes it", "record", "discard"))
	} else if there {
		return protocol.NewError(protocol.CodeBusy, "a recording of "+string(id)+" runs already", "", protocol.Try("ends it", "record", "stop"))
	}
	info, err := rs.config.History.Page(ctx, by, id)
	if err != nil {
		return err
	}
	var shots *film
	if video != "" {
		if shots, err = rs.newFilm(id); err != nil {
			return err
		}
	}
	r, err := watch.Use(ctx, k, feature, func() *recorder {
		return &recorder{scripts: make(map[*devtools.Session]cdppage.ScriptIdentifier), video: shots, format: video, url: info.URL, began: time.Now().UTC(), gone: func() { rs.states.drop(id) }}
	})
	if err != nil {
		if shots != nil {
			shots.discard()
		}
		return err
	}
	rs.states.set(protocol.RecordingState{Tab: id, Began: r.began, Video: shots != nil})
	if page.OriginOf(info.URL) != "" {
		r.add(protocol.RecordedStep{Do: "goto", URL: info.URL})
		r.mu.Lock()
		r.acted = false
		r.mu.Unlock()
	}
	return nil
}

// Recording returns what was recorded so far.
func (rs *Recordings) Recording(ctx context.Context, id protocol.TabID) (protocol.Recording, error) {
	k := rs.tabs.Kept(id)
	r, ok := watch.Get[*recorder](k, feature)
	if !ok {
		return protocol.Recording{Steps: []protocol.RecordedStep{}}, nil
	}
	if err := k.CatchUp(ctx); err != nil {
		return protocol.Recording{}, rs.tabs.Explain(ctx, id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := protocol.Recording{
		Running: !r.held, Held: r.held, Began: r.began, Steps: append([]protocol.RecordedStep{}, r.steps...), Dropped: r.dropped,
	}
	if r.video != nil {
		out.Frames = r.video.count()
	}
	return out, nil
}

// StopRecording ends a recording and returns it. format is the video's format; if
// empty, the one given at the start. If the video cannot be made, the steps are still
// returned, and VideoError says why.
func (rs *Recordings) StopRecording(ctx context.Context, by protocol.Caller, id protocol.TabID, format string) (protocol.Recording, error) {
	k := rs.tabs.Kept(id)
	r, err := rs.found(k, id)
	if err != nil {
		return protocol.Recording{}, err
	}
	if err := rs.end(ctx, by, id, k, r); err != nil {
		return protocol.Recording{}, err
	}
	session := k.Session()
	out, err := rs.Recording(ctx, id)
	if err != nil {
		return out, err
	}
	if err := k.Stop(ctx, feature); err != nil {
		return out, err
	}
	out.Held = false
	rs.states.drop(id)
	if r.video != nil {
		defer r.video.discard()
		if format == "" {
			format = r.format
		}
		if file, err := r.video.save(ctx, session, rs.config.Folder, id, format); err != nil {
			out.VideoError = protocol.AsError(err)
		} else {
			out.Video = &file
		}
	}
	return out, nil
}

// flush makes the page report text that was typed and not reported yet: a field
// reports it when it loses the focus.
func (r *recorder) flush(ctx context.Context, s *devtools.Session) {
	inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	world, err := cdp.Call(inner, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: cdp.FrameID(s.Target), WorldName: recordWorld})
	if err == nil {
		_, _ = devtools.Evaluate[any](inner, s, "dispatchEvent(new Event('blur'))", world.ExecutionContextID)
	}
}
