package browser

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/protocol"
)

// press clicks the centre of an element with trusted input.
func (f *fixture) press(t *testing.T, id protocol.TabID, css string) {
	t.Helper()
	var at struct{ X, Y float64 }
	text := f.script(t, id, `(() => { const r = document.querySelector("`+css+`").getBoundingClientRect(); return JSON.stringify({X: r.x + r.width / 2, Y: r.y + r.height / 2}); })()`)
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		if _, err := cdp.Call(deadline(t), f.kept(id).Session(), input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: 1,
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) typed(t *testing.T, id protocol.TabID, text string) {
	t.Helper()
	if _, err := cdp.Call(deadline(t), f.kept(id).Session(), input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// filmed waits until a recording has frames. Each look is a round trip.
func (f *fixture) filmed(t *testing.T, id protocol.TabID, frames int) {
	t.Helper()
	for ctx := deadline(t); ; {
		r, err := f.Recording(ctx, id)
		if err != nil {
			t.Fatalf("waiting for %d frames: %v", frames, err)
		}
		if r.Frames >= frames {
			return
		}
	}
}

func TestRecording(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	if _, err := f.StopRecording(ctx, nobody, id, "avi"); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing runs: %v", err)
	}
	f.open(t, id, s.URL+"/form")
	if err := f.StartRecording(ctx, nobody, id, ""); err != nil {
		t.Fatal(err)
	}
	if err := f.StartRecording(ctx, nobody, id, ""); code(err) != protocol.CodeBusy {
		t.Errorf("twice: %v", err)
	}
	f.press(t, id, "#n")
	f.typed(t, id, "Ann \"Q\"")
	f.press(t, id, "#p")
	f.typed(t, id, "hush-hush")
	f.press(t, id, "#c")
	f.press(t, id, "#b")
	f.open(t, id, s.URL+"/late")
	r, err := f.StopRecording(ctx, nobody, id, "avi")
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, st := range r.Steps {
		did = append(did, st.Do+" "+st.CSS+" "+st.Value+strings.TrimPrefix(st.URL, s.URL))
	}
	want := "goto  /form|fill #n Ann \"Q\"|fill #p |check #c |click #b "
	if got := strings.Join(did, "|"); !strings.HasPrefix(got, want) {
		t.Errorf("recorded %q", got)
	}
	if text, err := json.Marshal(r); err != nil || strings.Contains(string(text), "hush") {
		t.Errorf("the password is in it: %s", text)
	}
	routine := protocol.Routine{Version: 1, Name: "form", Steps: []string{"goto x"}}
	a, b, err := f.SaveRoutine(routine, "test")
	if err != nil {
		t.Fatal(err)
	}
	mode(t, a.Path)
	mode(t, b.Path)
	if got, err := f.Routine("form"); err != nil || len(got.Steps) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if all, err := f.Routines(); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, name := range []string{"none", "../form", ""} {
		if _, err := f.Routine(name); code(err) != protocol.CodeBadArgument {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A background tab can be recorded, and the tab in front stays in front.
func TestFilm(t *testing.T) {
	f, s, first := watching(t)
	id, err := f.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	f.open(t, id, s.URL+"/moving")
	for _, format := range []string{"avi", "gif"} {
		if err := f.StartRecording(deadline(t), nobody, id, format); err != nil {
			t.Fatal(err)
		}
		f.filmed(t, id, 2)
		r, err := f.StopRecording(deadline(t), nobody, id, "")
		if err != nil {
			t.Fatal(err)
		}
		mode(t, r.Video.Path)
		data, err := os.ReadFile(r.Video.Path)
		if err != nil {
			t.Fatal(err)
		}
		switch format {
		case "gif":
			file, err := os.Open(r.Video.Path)
			if err != nil {
				t.Fatal(err)
			}
			g, err := gif.DecodeAll(file)
			_ = file.Close()
			if err != nil || len(g.Image) < 2 || len(g.Image) != r.Frames {
				t.Errorf("%d pictures of %d, %v", len(g.Image), r.Frames, err)
			}
		case "avi":
			if string(data[:4]) != "RIFF" || string(data[8:12]) != "AVI " || int(binary.LittleEndian.Uint32(data[4:8])) != len(data)-8 || r.Frames < 2 {
				t.Errorf("%q, %d of %d bytes, %d pictures", data[:12], binary.LittleEndian.Uint32(data[4:8]), len(data), r.Frames)
			}
		}
	}
	for _, tab := range f.Tabs() {
		if tab.ID == first && !tab.Active {
			t.Error("the first tab is not in front any more")
		}
	}
}

func TestTraceFile(t *testing.T) {
	f, s, id := watching(t)
	if _, err := f.StopTrace(deadline(t), id); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing runs: %v", err)
	}
	if err := f.StartTrace(deadline(t), id); err != nil {
		t.Fatal(err)
	}
	if err := f.StartTrace(deadline(t), id); code(err) != protocol.CodeBusy {
		t.Errorf("twice: %v", err)
	}
	f.open(t, id, s.URL+"/form")
	file, err := f.StopTrace(deadline(t), id)
	if err != nil {
		t.Fatal(err)
	}
	mode(t, file.Path)
	data, err := os.ReadFile(file.Path)
	var doc struct {
		Events []json.RawMessage `json:"traceEvents"`
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || len(doc.Events) < 10 || f.Tracing(id) {
		t.Errorf("%d events in %d bytes, %v", len(doc.Events), len(data), err)
	}
}

// Groups and windows need a browser with a window, and the extension's worker.
func TestGroupsAndWindows(t *testing.T) {
	f := windowed(t)
	first := f.first(t)
	second, err := f.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	group, err := f.GroupTabs(deadline(t), 0, []protocol.TabID{first, second})
	if err != nil {
		t.Fatal(err)
	}
	name, color, fold := "Shop", "green", false
	if err := f.SetGroup(deadline(t), group, &name, &color, &fold); err != nil {
		t.Fatal(err)
	}
	list, err := f.Groups(deadline(t))
	if err != nil || len(list) != 1 || list[0].Title != "Shop" || list[0].Color != "green" || len(list[0].Tabs) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := f.UngroupTabs(deadline(t), []protocol.TabID{first, second}); err != nil {
		t.Error(err)
	}
	if list, err = f.Groups(deadline(t)); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := f.SetGroup(deadline(t), 999999, &name, nil, nil); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such group: %v", err)
	}
	opened, err := f.NewWindow(deadline(t), true)
	if err != nil {
		t.Fatal(err)
	}
	windows, err := f.Windows(deadline(t))
	if err != nil || len(windows) != 2 {
		t.Fatalf("%+v, %v", windows, err)
	}
	if err := f.SetWindow(deadline(t), opened, &protocol.Clip{X: 10, Y: 20, Width: 700, Height: 500}, ""); err != nil {
		t.Error(err)
	}
	windows, err = f.Windows(deadline(t))
	for _, w := range windows {
		if w.Tabs[0] == opened && (w.Width != 700 || w.Height != 500) {
			t.Errorf("%+v, %v", w, err)
		}
	}
	if err := f.CloseWindow(deadline(t), []protocol.TabID{opened}); err != nil {
		t.Error(err)
	}
	if windows, err = f.Windows(deadline(t)); err != nil || len(windows) != 1 {
		t.Errorf("%+v, %v", windows, err)
	}
}

// A recording that ends before the tab rendered anything still has one frame.
func TestFilmOfAMoment(t *testing.T) {
	f := headless(t)
	id := f.first(t)
	f.open(t, id, site(t).URL+"/one")
	for range 5 {
		if err := f.StartRecording(deadline(t), nobody, id, "gif"); err != nil {
			t.Fatal(err)
		}
		r, err := f.StopRecording(deadline(t), nobody, id, "")
		if err != nil || r.Video == nil || r.VideoError != nil || r.Frames < 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}

// A recording that has ended is kept: it is saved as WebM, which this browser plays and
// seeks in, and as GIF, and then discarded.
func TestRecordingIsKept(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	f.open(t, id, s.URL+"/form")
	if _, err := f.SaveVideo(ctx, nobody, id, "webm"); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing was recorded: %v", err)
	}
	if err := f.StartRecording(ctx, nobody, id, "webm"); err != nil {
		t.Fatal(err)
	}
	f.press(t, id, "#n")
	f.typed(t, id, "Ann")
	f.press(t, id, "#c")
	f.filmed(t, id, 1) // the video begins with its first frame
	f.script(t, id, "new Promise((d) => setTimeout(d, 700))")
	r, err := f.EndRecording(ctx, nobody, id)
	if err != nil || r.Running || !r.Held || r.Began.IsZero() || len(r.Steps) != 3 || r.Frames < 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	f.press(t, id, "#c") // comes too late
	if err := f.StartRecording(ctx, nobody, id, ""); code(err) != protocol.CodeBusy {
		t.Errorf("it would replace the one that is kept: %v", err)
	}
	video, err := f.SaveVideo(ctx, nobody, id, "webm")
	if err != nil {
		t.Fatal(err)
	}
	mode(t, video.Path)
	data, err := os.ReadFile(video.Path)
	if err != nil {
		t.Fatal(err)
	}
	played := f.script(t, id, `new Promise((done, fail) => {
		const v = document.createElement('video');
		v.onerror = () => fail(new Error(v.error.message));
		v.onloadeddata = () => { v.currentTime = 0.5; };
		v.onseeked = () => {
			const c = new OffscreenCanvas(v.videoWidth, v.videoHeight).getContext('2d');
			c.drawImage(v, 0, 0);
			const seen = c.getImageData(0, 0, v.videoWidth, v.videoHeight).data;
			let red = 0, dark = 0;
			for (let at = 0; at < seen.length; at += 4) {
				if (seen[at] > 200 && seen[at + 1] < 170 && seen[at + 2] < 170) red++;
				if (seen[at] < 60 && seen[at + 1] < 60) dark++;
			}
			done([v.duration > 0.6 && v.duration < 60, v.videoWidth > 100, v.seekable.end(0) > 0.5, dark > 1000].join());
		};
		v.src = 'data:video/webm;base64,`+base64.StdEncoding.EncodeToString(data)+`';
	})`)
	if !strings.Contains(played, "true,true,true,true") {
		t.Errorf("played: %s", played)
	}
	picture, err := f.SaveVideo(ctx, nobody, id, "gif")
	if err != nil || !strings.HasSuffix(picture.Path, ".gif") {
		t.Errorf("%+v, %v", picture, err)
	}
	if r, err := f.Recording(ctx, id); err != nil || len(r.Steps) != 3 {
		t.Errorf("the late press is a step: %+v, %v", r, err)
	}
	if err := f.DiscardRecording(ctx, id); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(video.Path), "*.frames")); err != nil || len(left) > 0 {
		t.Errorf("the screenshots are still there: %v, %v", left, err)
	}
	if err := f.DiscardRecording(ctx, id); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing is kept: %v", err)
	}
}
