// Package recording notes what is done in a tab, films it, and keeps what was noted as
// routines.
package recording

import (
	"context"
	_ "embed"
	"encoding/json"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const feature = "record"

const (
	// recordSteps and recordFrames bound a recording.
	recordSteps  = 2000
	recordFrames = 1200
	// recordRate is how many pictures a second a video has at most.
	recordRate = 10
)

// Config is what recordings need of the browser.
type Config struct {
	// Folder is where films and routines are saved.
	Folder files.Folder
	// Page tells a tab's address and title.
	Page func(ctx context.Context, id protocol.TabID) (protocol.PageInfo, error)
	// Still takes a JPEG picture of a tab.
	Still func(ctx context.Context, id protocol.TabID, quality int) ([]byte, error)
}

// Recordings are those of a browser's tabs.
type Recordings struct {
	tabs   watch.Source
	config Config
}

// New returns the recordings of a browser's tabs: none.
func New(tabs watch.Source, c Config) *Recordings { return &Recordings{tabs: tabs, config: c} }

//go:embed record.js
var recordScript string

// The world and the binding of a recording. Only that world has the binding: a
// page can tell us nothing.
const (
	recordWorld   = "pilotfish-record"
	recordBinding = "pilotfishRecord"
)

// recorder keeps what is done in a tab, by a person or by a command: both reach
// the page as the same trusted events.
type recorder struct {
	mu      sync.Mutex
	steps   []protocol.RecordedStep
	dropped int
	url     string // of the last address that a step accounts for
	acted   bool   // something was done that may have led to the next address
	scripts map[*devtools.Session]cdppage.ScriptIdentifier
	video   *film
	format  string // of the video, as it was said at the start
}

func (r *recorder) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	err := devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
	if err == nil {
		// The binding is told to sessions whose domain is on.
		err = devtools.Post(ctx, s, runtime.Enable, cdp.Empty{})
	}
	if err == nil {
		err = devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: recordBinding, ExecutionContextName: recordWorld})
	}
	if err != nil {
		return err
	}
	now := true
	res, err := cdp.Call(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: recordScript, WorldName: recordWorld, RunImmediately: &now,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
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
	switch e.Method {
	case runtime.BindingCalled.Method:
		v, ok := devtools.Decode(e, runtime.BindingCalled)
		if !ok || v.Name != recordBinding {
			return
		}
		var step protocol.RecordedStep
		if json.Unmarshal([]byte(v.Payload), &step) == nil {
			r.add(step)
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

// arrived notes an address that no step before it led to.
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
		r.steps[n-1] = step // the field's last word
		return
	}
	if step.Do == "dblclick" { // it is told of after the clicks that it consists of
		for range 2 {
			if n := len(r.steps); n > 0 && r.steps[n-1].Do == "click" && r.steps[n-1].CSS == step.CSS {
				// The first click met the page as the next time will.
				step, r.steps = r.steps[n-1], r.steps[:n-1]
				step.Do, step.At = "dblclick", time.Now().UTC()
			}
		}
	}
	r.steps = append(r.steps, step)
}

// StartRecording begins to note what is done in a tab, and to film it when video
// is a format: "avi" or "gif".
func (rs *Recordings) StartRecording(ctx context.Context, id protocol.TabID, video string) error {
	k, err := rs.tabs.Of(ctx, id)
	if err != nil {
		return err
	}
	if _, running := watch.Get[*recorder](k, feature); running {
		return protocol.NewError(protocol.CodeBusy, "a recording of "+string(id)+" runs already", "", protocol.Try("ends it", "record", "stop"))
	}
	info, err := rs.config.Page(ctx, id)
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
		return &recorder{scripts: make(map[*devtools.Session]cdppage.ScriptIdentifier), video: shots, format: video, url: info.URL}
	})
	if err != nil {
		if shots != nil {
			shots.discard()
		}
		return err
	}
	if page.OriginOf(info.URL) != "" {
		r.add(protocol.RecordedStep{Do: "goto", URL: info.URL})
		r.mu.Lock()
		r.acted = false
		r.mu.Unlock()
	}
	return nil
}

// Recording returns what is recorded so far.
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
	out := protocol.Recording{Running: true, Steps: append([]protocol.RecordedStep{}, r.steps...), Dropped: r.dropped}
	if r.video != nil {
		out.Frames = r.video.count()
	}
	return out, nil
}

// StopRecording ends a recording and returns it. format is that of the video;
// empty is what was said at the start. A video that cannot be made costs no step:
// VideoError says why.
func (rs *Recordings) StopRecording(ctx context.Context, id protocol.TabID, format string) (protocol.Recording, error) {
	k := rs.tabs.Kept(id)
	r, ok := watch.Get[*recorder](k, feature)
	if !ok {
		return protocol.Recording{}, protocol.NewError(protocol.CodeBadArgument, "no recording of "+string(id)+" runs", "", protocol.Try("begins one", "record", "start"))
	}
	if s := k.Session(); s != nil {
		r.flush(ctx, s)
		if r.video != nil && r.video.count() == 0 {
			// Without it there is no video, which is said below.
			_ = rs.still(ctx, id, r.video)
		}
	}
	out, err := rs.Recording(ctx, id)
	if err != nil {
		return out, err
	}
	if err := k.Stop(ctx, feature); err != nil {
		return out, err
	}
	out.Running = false
	if r.video != nil {
		out.Frames = r.video.count()
		if format == "" {
			format = r.format
		}
		if file, err := r.video.finish(rs.config.Folder, id, format); err != nil {
			out.VideoError = protocol.AsError(err)
		} else {
			out.Video = &file
		}
	}
	return out, nil
}

// flush has the page tell what is typed and not yet told: a field tells it when
// it is left.
func (r *recorder) flush(ctx context.Context, s *devtools.Session) {
	inner, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	world, err := cdp.Call(inner, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: cdp.FrameID(s.Target), WorldName: recordWorld})
	if err == nil {
		_, _ = devtools.Evaluate[any](inner, s, "dispatchEvent(new Event('blur'))", world.ExecutionContextID)
	}
}
