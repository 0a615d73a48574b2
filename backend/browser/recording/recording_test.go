package recording

import (
	"context"
	"log/slog"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/capture"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/history"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// source is an in-memory browser whose tabs are watched.
type source struct{ *watch.Tabs }

func (source) Explain(_ context.Context, _ protocol.TabID, err error) error { return err }

// recordings returns the Recordings of a browser with one tab, which shows a page and
// draws nothing, and the session that records the tab, once it exists.
func recordings(t *testing.T) (rs *Recordings, id protocol.TabID, b *fake.Browser, s source) {
	t.Helper()
	b, c := fake.Connect(t, nil)
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	e, ok := open.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	if !ok {
		t.Fatal("there is no tab")
	}
	s = source{watch.New(watch.Config{
		Conn: c, Tabs: open, Log: slog.New(slog.DiscardHandler),
		Target:  func(_ context.Context, _ protocol.TabID, f func(tabs.Entry) error) error { return f(e) },
		Explain: func(_ context.Context, _ protocol.TabID, err error) error { return err },
	})}
	rs = New(s, Config{Folder: files.Folder{Path: t.TempDir()}, History: history.New(hanging{}, open, focus.New(slog.New(slog.DiscardHandler))), Capture: capture.New(hanging{}, capture.Config{})})
	return rs, e.ID, b, s
}

// hanging are tabs whose pages do not answer.
type hanging struct{ page.Tabs }

func (hanging) ReadTab(context.Context, protocol.Caller, protocol.TabID, func(context.Context, *page.Page) error) error {
	return protocol.NewError(protocol.CodeTimeout, "it hangs", "")
}

func (hanging) OnTab(context.Context, protocol.Caller, protocol.TabID, bool, func(context.Context, *page.Page) error) error {
	return protocol.NewError(protocol.CodeTimeout, "it draws nothing", "try again")
}

func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

// TestRecordingWithoutScreenshots: a video without any image is reported as an error,
// and the steps are not lost.
func TestRecordingWithoutScreenshots(t *testing.T) {
	rs, id, _, _ := recordings(t)
	if err := rs.StartRecording(t.Context(), protocol.Caller{}, id, "avi"); err != nil {
		t.Fatal(err)
	}
	if err := rs.StartRecording(t.Context(), protocol.Caller{}, id, ""); code(err) != protocol.CodeBusy {
		t.Errorf("twice: %v", err)
	}
	all, before, changed := rs.RecordingStates()
	if len(all) != 1 || all[0].Tab != id || all[0].Held || !all[0].Video {
		t.Errorf("recorded now: %+v", all)
	}
	if _, err := rs.EndRecording(t.Context(), protocol.Caller{}, id); err != nil {
		t.Fatal(err)
	}
	<-changed
	if all, n, _ := rs.RecordingStates(); len(all) != 1 || !all[0].Held || n <= before {
		t.Errorf("kept: %+v", all)
	}
	got, err := rs.StopRecording(t.Context(), protocol.Caller{}, id, "")
	if err != nil || len(got.Steps) != 1 || got.Video != nil || got.VideoError == nil || got.VideoError.Hint == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := rs.StopRecording(t.Context(), protocol.Caller{}, id, ""); code(err) != protocol.CodeBadArgument {
		t.Errorf("it runs still: %v", err)
	}
	if all, _, _ := rs.RecordingStates(); len(all) != 0 {
		t.Errorf("it is still said to run: %+v", all)
	}
}

// TestSteps: the page's reports become steps: a field has its last value, a double
// click is one step, and an address that a step led to is not a step.
func TestSteps(t *testing.T) {
	rs, id, b, s := recordings(t)
	if err := rs.StartRecording(t.Context(), protocol.Caller{}, id, ""); err != nil {
		t.Fatal(err)
	}
	session := s.Kept(id).Session().ID
	for _, step := range []string{
		`{"do":"fill","css":"#a","value":"x"}`, `{"do":"fill","css":"#a","value":"xy"}`,
		`{"do":"click","css":"#b"}`, `{"do":"click","css":"#b"}`, `{"do":"dblclick","css":"#b"}`,
	} {
		b.Emit(session, runtime.BindingCalled.Method, runtime.EventBindingCalled{Name: recordBinding, Payload: step, ExecutionContextID: 1})
	}
	b.Emit(session, cdppage.FrameNavigated.Method, jsonv2.Value(`{"frame":{"id":"T1","loaderId":"L","url":"https://example.com/led"},"type":"Navigation"}`))
	b.Emit(session, cdppage.FrameNavigated.Method, jsonv2.Value(`{"frame":{"id":"T1","loaderId":"M","url":"https://example.com/alone"},"type":"Navigation"}`))
	if err := s.Kept(id).Session().Call(t.Context(), cdppage.StopLoading.Method, nil, nil); err != nil { // after the events
		t.Fatal(err)
	}
	got, err := rs.StopRecording(t.Context(), protocol.Caller{}, id, "")
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, step := range got.Steps {
		did = append(did, step.Do)
	}
	if len(did) != 4 || did[0] != "goto" || did[1] != "fill" || did[2] != "dblclick" || did[3] != "goto" || got.Steps[3].URL != "https://example.com/alone" {
		t.Errorf("the steps are %+v", got.Steps)
	}
}

// TestRoutines: a routine is read as it was saved, and listed by its name.
func TestRoutines(t *testing.T) {
	rs := New(nil, Config{Folder: files.Folder{Path: t.TempDir()}})
	for _, name := range []string{"pay", "login"} {
		if _, _, err := rs.SaveRoutine(protocol.Routine{Version: 1, Name: name}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	all, err := rs.Routines()
	if err != nil || len(all) != 2 || all[0].Name != "login" {
		t.Errorf("%+v, %v", all, err)
	}
	for _, name := range []string{"../pay", "none"} {
		if _, err := rs.Routine(name); code(err) != protocol.CodeBadArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}
