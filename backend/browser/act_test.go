package browser

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// stage is a tab with pages of the test itself.
type stage struct {
	*fixture
	tab protocol.TabID
	url string
}

// stageOf opens a headless browser at a page with this body.
func stageOf(t *testing.T, body string) *stage {
	t.Helper()
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{"/": body})}
	s.tab = s.first(t)
	s.open(t, "/")
	return s
}

// pages serves documents on a loopback port of their own.
func pages(t *testing.T, all map[string]string) string {
	t.Helper()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := all[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Stage</title>", body)
	}))
	return server.URL
}

func (s *stage) open(t *testing.T, path string) {
	t.Helper()
	if _, err := s.Navigate(deadline(t), nobody, s.tab, s.url+path, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
}

// nobody is a caller without a name.
var nobody protocol.Caller

func (s *stage) snap(t *testing.T, q protocol.SnapshotRequest) protocol.Snapshot {
	t.Helper()
	return s.snapshotAs(t, nobody, q)
}

func (s *stage) snapshotAs(t *testing.T, by protocol.Caller, q protocol.SnapshotRequest) protocol.Snapshot {
	t.Helper()
	snap, err := s.Snapshot(deadline(t), by, s.tab, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// ref returns the ref of the first line that has this text.
func (s *stage) ref(t *testing.T, text string) string {
	t.Helper()
	snap := s.snap(t, protocol.SnapshotRequest{})
	for line := range strings.Lines(snap.Text) {
		fields := strings.Fields(line)
		if strings.Contains(line, text) && len(fields) > 0 && page.RefScope().MatchString(fields[0]) {
			return fields[0]
		}
	}
	t.Fatalf("nothing like %q in\n%s", text, snap.Text)
	return ""
}

func (s *stage) act(t *testing.T, q protocol.ActRequest) protocol.Effect {
	t.Helper()
	effect, err := s.Act(deadline(t), nobody, s.tab, q, nil)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return effect
}

// eval evaluates an expression in the page's own world.
func (s *stage) eval(t *testing.T, expression string) string {
	t.Helper()
	var out string
	err := work{s.Browser}.OnTab(deadline(t), nobody, s.tab, true, func(ctx context.Context, p *page.Page) error {
		v, err := devtools.Evaluate[string](ctx, p.Session, "String("+expression+")", 0)
		out = v
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refused checks that an action is refused with a code, and returns the message.
func (s *stage) refused(t *testing.T, q protocol.ActRequest, want protocol.Code) string {
	t.Helper()
	_, err := s.Act(deadline(t), nobody, s.tab, q, nil)
	if code(err) != want {
		t.Errorf("%+v: %v, want %s", q, err, want)
		return ""
	}
	return err.Error()
}

func click(target string) protocol.ActRequest {
	return protocol.ActRequest{Kind: protocol.ActClick, Target: target}
}

func TestClickSaysWhatItDid(t *testing.T) {
	s := stageOf(t, `<button onclick="this.textContent = 'Saved'; window.trusted = event.isTrusted">Save</button>
		<button onclick="document.body.insertAdjacentHTML('beforeend', '<p role=status>Done</p><button>Undo</button>')">More</button>
		<button onclick="requestAnimationFrame(() => { this.textContent = 'Later done' })">Later</button>
		<button>Nothing</button><button onclick="missing()">Broken</button><button disabled>Off</button>
		<button>Twin</button><button>Twin</button>`)
	ref := s.ref(t, "Save")
	if e := s.act(t, click(ref)); len(e.Changed) != 1 || !strings.Contains(e.Changed[0], "Saved") || e.Nothing {
		t.Errorf("%+v", e)
	}
	if s.eval(t, "window.trusted") != "true" {
		t.Error("the page saw no trusted click")
	}
	if e := s.act(t, click("text=More")); !strings.Contains(strings.Join(e.Appeared, " "), "Undo") || len(e.Said) == 0 && !strings.Contains(strings.Join(e.Appeared, " "), "Done") {
		t.Errorf("%+v", e)
	}
	if e := s.act(t, click(`role=button name="Later"`)); !strings.Contains(strings.Join(e.Changed, " "), "Later done") {
		t.Errorf("what came with the next frame was not seen: %+v", e)
	}
	if e := s.act(t, click("text=Nothing")); len(e.Appeared)+len(e.Gone) != 0 {
		t.Errorf("%+v", e)
	}
	if e := s.act(t, click("text=Broken")); len(e.Errors) != 1 || !strings.Contains(e.Errors[0], "missing") {
		t.Errorf("%+v", e)
	}
	s.refused(t, click("text=Off"), protocol.CodeDisabled)
	if why := s.refused(t, click("text=Twin"), protocol.CodeAmbiguous); !strings.Contains(why, "Twin; e") {
		t.Error(why)
	}
	s.refused(t, click("e999"), protocol.CodeNoElement)
	s.refused(t, click("#none"), protocol.CodeNoElement)
	s.refused(t, click("b["), protocol.CodeBadArgument)
	if e := s.act(t, click("role=button name=Twin nth=2")); e.Hit == "" {
		t.Errorf("%+v", e)
	}
}

// A ref keeps its element when the elements are reordered, replaced or renamed,
// and across documents.
func TestRefsLast(t *testing.T) {
	s := stageOf(t, `<ul id=l><li><button onclick="hit='a'">Alpha</button><li><button onclick="hit='b'">Beta</button><li><button onclick="hit='c'">Gamma</button></ul><script>var hit</script>`)
	alpha, beta := s.ref(t, "Alpha"), s.ref(t, "Beta")
	s.eval(t, `[...l.children].reverse().forEach((li) => l.append(li))`)
	s.act(t, click(alpha))
	if got := s.eval(t, "hit"); got != "a" {
		t.Errorf("after sorting, Alpha's ref met %s", got)
	}
	s.eval(t, `[...document.querySelectorAll('button')].forEach((b) => { if (b.textContent === 'Beta') b.outerHTML = b.outerHTML })`)
	s.refused(t, click(beta), protocol.CodeGone)
	s.eval(t, `document.querySelector('li:last-child button').textContent = 'Delete all'`)
	if why := s.refused(t, click(alpha), protocol.CodeChanged); !strings.Contains(why, "Delete all") {
		t.Error(why)
	}
	s.snap(t, protocol.SnapshotRequest{})
	s.act(t, click(alpha))
	s.open(t, "/")
	s.refused(t, click(alpha), protocol.CodeGone)
	if again := s.ref(t, "Alpha"); again == alpha || again == beta {
		t.Errorf("%s was given again in another document", again)
	}
}

// When a target moves away before the press, the element in its place gets no
// event. The press is repeated where the target is, once the target rests.
func TestShiftBetweenSnapshotAndPress(t *testing.T) {
	s := stageOf(t, `<style>button { position: absolute; top: 0; left: 0; width: 200px; height: 80px }</style>
		<button id=a onclick="hit = 'a'">Right</button><button id=b style="top: 200px" onclick="hit = 'b'">Wrong</button>
		<script>var hit = ''; addEventListener('mousemove', () => { a.style.top = '200px'; b.style.top = '0' })</script>`)
	s.act(t, click(s.ref(t, "Right")))
	if hit := s.eval(t, "hit"); hit != "a" {
		t.Errorf("the click met %q", hit)
	}
}

// A click waits for a target that comes to rest, hits a target that keeps moving, beside
// its text too, and misses a target that flees; it never hits another element.
func TestMoving(t *testing.T) {
	style := `<style>body { margin: 0 } button { position: absolute; width: 120px; height: 60px } #b { left: 0; top: 0; width: 100%; height: 300px }</style><script>var hit = ''</script><button id=b onclick="hit += 'wrong'">Behind</button>`
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/rests":   style + `<button id=a onclick="hit += 'a'" style="top:100px;animation:go 1.5s linear both">Right</button><style>@keyframes go { to { left: 500px } }</style>`,
		"/endless": style + `<button id=a onclick="hit += 'a'" style="top:100px;animation:go 2s linear infinite alternate">Right</button><style>@keyframes go { to { left: 600px } }</style>`,
		"/script":  style + `<button id=a onclick="hit += 'a'" style="top:100px">Right</button><script>let x = 0; (function go() { x = (x + 7) % 600; a.style.left = x + 'px'; requestAnimationFrame(go) })()</script>`,
		"/nudged":  style + `<button id=a onclick="hit += 'a'" style="top:100px">Right</button><script>let x = 0; addEventListener('mousemove', () => { x = 40 - x; a.style.left = x + 'px' })</script>`,
		"/flees":   style + `<button id=a onclick="hit += 'a'" style="top:100px">Right</button><script>addEventListener('mousemove', (e) => { a.style.left = (e.clientX + 200) % 600 + 'px' })</script>`,
	})}
	s.tab = s.first(t)
	for _, path := range []string{"/rests", "/endless", "/script", "/nudged"} {
		s.open(t, path)
		e := s.act(t, click("text=Right"))
		if hit := s.eval(t, "hit"); hit != "a" {
			t.Errorf("%s: the click met %q; its effect: %+v", path, hit, e)
		}
	}
	s.open(t, "/flees")
	if why := s.refused(t, click("#a"), protocol.CodeNotActable); !strings.Contains(why, "moving away") {
		t.Error(why)
	}
	if hit := s.eval(t, "hit"); hit != "" {
		t.Errorf("what flees: the click met %q", hit)
	}
}

func TestSnapshotsAreRefused(t *testing.T) {
	s := stageOf(t, `<button onclick=1>Below</button><div style="position:fixed;inset:0" aria-label=Cookies role=dialog>Cookies <button>OK</button></div>
		<div inert><button id=i>Inert</button></div><button hidden id=h>Hidden</button>`)
	if why := s.refused(t, click("text=Below"), protocol.CodeCovered); !strings.Contains(why, "Cookies") {
		t.Error(why)
	}
	s.refused(t, click("#i"), protocol.CodeInert)
	s.refused(t, click("#h"), protocol.CodeHidden)
}

func TestNavigationByClick(t *testing.T) {
	s := &stage{fixture: headless(t)}
	s.url = pages(t, map[string]string{
		"/":     `<a href=/next>Next</a> <a href="http://127.0.0.1:1/">Dead</a> <a href=/none>None</a> <a href=#x>Hash</a> <form action=/next><input name=q><button>Go</button></form> <a href=/next target=_blank>New</a>`,
		"/next": `<title>Next page</title><h1>Arrived</h1>`,
	})
	s.tab = s.first(t)
	s.open(t, "/")
	if e := s.act(t, click("text=Hash")); !e.Within || !strings.HasSuffix(e.URL, "#x") || e.Navigated {
		t.Errorf("%+v", e)
	}
	if e := s.act(t, click("text=Next")); !e.Navigated || e.Title != "Stage" && e.Title != "Next page" || !strings.HasSuffix(e.URL, "/next") || e.Status != 200 {
		t.Errorf("%+v", e)
	}
	s.open(t, "/")
	if why := s.refused(t, click("text=Dead"), protocol.CodeNavigation); why == "" {
		t.Error("a dead link counted as a success")
	}
	s.open(t, "/")
	if e := s.act(t, click("text=None")); !e.Navigated || e.Status != 404 {
		t.Errorf("%+v", e)
	}
	s.open(t, "/")
	s.act(t, protocol.ActRequest{Kind: protocol.ActFill, Target: "css=input", Text: "hello"})
	if e := s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Target: "css=input", Text: "Enter"}); !e.Navigated || !strings.Contains(e.URL, "q=hello") {
		t.Errorf("%+v", e)
	}
	s.open(t, "/")
	if e := s.act(t, click("text=New")); len(e.Tabs) != 1 || e.Navigated {
		t.Errorf("%+v", e)
	}
	// An agent's rule applies to the page to which a click leads.
	no := protocol.NewError(protocol.CodeRefused, "no", "")
	_, err := s.Act(deadline(t), nobody, s.tab, click("text=Next"), func(url string) error {
		if strings.Contains(url, "/next") {
			return no
		}
		return nil
	})
	if code(err) != protocol.CodeRefused {
		t.Errorf("a refused page: %v", err)
	}
}

func TestDialogsDoNotHang(t *testing.T) {
	s := stageOf(t, `<button onclick="answer = confirm('Sure?')">Ask</button><button onclick="answer = prompt('Name', 'x')">Name</button><script>var answer</script>`)
	e := s.act(t, click("text=Ask"))
	if e.Dialog == nil || e.Dialog.Type != "confirm" || e.Dialog.Message != "Sure?" {
		t.Fatalf("%+v", e)
	}
	s.refused(t, click("text=Ask"), protocol.CodeDialog)
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.eval(t, "answer"); got != "true" {
		t.Errorf("the answer was %s", got)
	}
	s.act(t, click("text=Name"))
	text := "Ada"
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, &text); err != nil {
		t.Fatal(err)
	}
	if got := s.eval(t, "answer"); got != "Ada" {
		t.Errorf("the answer was %s", got)
	}
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, nil); code(err) != protocol.CodeNoElement {
		t.Errorf("no dialog: %v", err)
	}
}

func TestFields(t *testing.T) {
	var body strings.Builder
	values := map[string]string{
		"text": "Zoë \"q\" 👍", "email": "a@b.example", "password": "s3cret", "search": "find me", "tel": "+49 30 1", "url": "https://x.example/", "number": "12.5",
		"date": "2026-02-28", "time": "13:45", "datetime-local": "2026-02-28T13:45", "month": "2026-02", "week": "2026-W09", "color": "#ff8800", "range": "70",
	}
	for kind := range values {
		fmt.Fprintf(&body, "<input id=%s type=%s aria-label=%s>", kind, kind, kind)
	}
	s := stageOf(t, body.String()+`<textarea id=area>old</textarea><div id=edit contenteditable>old</div><input id=ro readonly value=x aria-label=ro>
		<select id=one aria-label=one><option>A<option value=b>Bee</select><select id=many multiple aria-label=many><option>A<option>B<option>C</select>
		<label><input type=checkbox id=box style="opacity:0;position:absolute">Box</label><input type=radio id=radio aria-label=radio><button role=switch aria-checked=false aria-label=sw onclick="this.setAttribute('aria-checked', 'true')">s</button>`)
	fill := func(target, text string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActFill, Target: target, Text: text}
	}
	for kind, want := range values {
		e := s.act(t, fill("#"+kind, want))
		got := s.eval(t, fmt.Sprintf("document.getElementById(%q).value", kind))
		if got != want {
			t.Errorf("%s holds %q, want %q (%+v)", kind, got, want, e)
		}
		if kind == "password" && (e.Value == nil || strings.Contains(*e.Value, "s3cret")) {
			t.Errorf("a password was told: %+v", e)
		}
	}
	s.act(t, fill("#text", ""))
	if got := s.eval(t, "document.getElementById('text').value"); got != "" {
		t.Errorf("a cleared field holds %q", got)
	}
	s.act(t, fill("#area", "two\nlines"))
	s.act(t, fill("#edit", "new text"))
	if got := s.eval(t, "area.value + '|' + edit.innerText"); got != "two\nlines|new text" {
		t.Errorf("%q", got)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#area", Text: " And More!"})
	if got := s.eval(t, "area.value"); got != "two\nlines And More!" {
		t.Errorf("%q", got)
	}
	s.eval(t, "keys = 0, addEventListener('keydown', () => { keys++ }, true)")
	for target, want := range map[string]string{"#area": "Anew\n2", "#text": "typed", "#edit": "typed", "#date": "2026-11-21"} {
		s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: target, Text: want, Clear: true})
		if got := s.eval(t, fmt.Sprintf("((el) => el.value ?? el.innerText)(document.querySelector(%q))", target)); got != want {
			t.Errorf("%s holds %q after it was typed into anew, not %q", target, got, want)
		}
	}
	if got := s.eval(t, "String(keys)"); got != "16" { // none for the date field
		t.Errorf("the page saw %s keys", got)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#text", Clear: true})
	if got := s.eval(t, "text.value"); got != "" {
		t.Errorf("a cleared field holds %q", got)
	}
	s.refused(t, protocol.ActRequest{Kind: protocol.ActType, Target: "#ro", Text: "y", Clear: true}, protocol.CodeDisabled)
	s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Target: "#area", Text: "Control+A Backspace"})
	if got := s.eval(t, "area.value"); got != "" {
		t.Errorf("%q", got)
	}
	s.refused(t, fill("#ro", "y"), protocol.CodeDisabled)
	s.refused(t, fill("#date", "tomorrow"), protocol.CodeNotActable)
	choose := func(target string, values ...string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActSelect, Target: target, Values: values}
	}
	s.act(t, choose("#one", "Bee"))
	s.act(t, choose("#many", "A", "C"))
	if got := s.eval(t, "one.value + [...many.selectedOptions].map((o) => o.text)"); got != "bA,C" {
		t.Errorf("%q", got)
	}
	s.refused(t, choose("#one", "Nope"), protocol.CodeNotActable)
	check := func(target string, on bool) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActCheck, Target: target, On: on}
	}
	s.act(t, check("#box", true))
	if e := s.act(t, check("#box", true)); !e.Nothing {
		t.Errorf("%+v", e)
	}
	s.act(t, check("#radio", true))
	s.act(t, check("role=switch", true))
	if got := s.eval(t, "`${box.checked} ${radio.checked}`"); got != "true true" {
		t.Errorf("%q", got)
	}
	s.refused(t, check("role=switch", false), protocol.CodeNotActable)
	// A page may ask its server before it turns a switch.
	s.eval(t, `document.body.insertAdjacentHTML('beforeend', '<button role=switch aria-checked=false id=late onclick="setTimeout(() => this.setAttribute(\'aria-checked\', \'true\'), 300)">Late</button>')`)
	if e := s.act(t, check("#late", true)); !strings.Contains(strings.Join(e.Changed, " "), "Late [checked") {
		t.Errorf("a switch that turns late: %+v", e)
	}
	s.act(t, check("#box", false))
}

// framed returns a snapshot with the buttons "Inside" of n frames. The session of another
// process's frame may not be attached yet.
func (s *stage) framed(t *testing.T, n int) protocol.Snapshot {
	t.Helper()
	for late := deadline(t); ; {
		snap := s.snap(t, protocol.SnapshotRequest{})
		if strings.Count(snap.Text, "Inside") == n {
			return snap
		}
		if late.Err() != nil {
			t.Fatalf("the frames do not come:\n%s", snap.Text)
		}
	}
}

// An action says when its frame loads another document or is gone, in whichever process.
func TestWhatBecomesOfTheFrame(t *testing.T) {
	inner := `<a id=go href="/other">go</a><input id=leaves oninput="if (value.length == 2) location = '/other'">
		<input id=ends oninput="if (value.length == 2) parent.postMessage('end', '*')"><button id=stays>stays</button>
		<input id=says oninput="parent.postMessage(value, '*')">`
	around := "<iframe src=%s></iframe><script>onmessage = ({ data }) => { if (data == 'end') document.querySelector('iframe').remove(); else document.body.append(document.createElement('p'), data) }</script>"
	s := &stage{fixture: headless(t)}
	here := pages(t, map[string]string{"/in": inner, "/other": "other", "/around": fmt.Sprintf(around, "/in")})
	far := strings.Replace(here, "127.0.0.1", "localhost", 1)
	for _, at := range []string{here, far, here + "/around#", far + "/around#"} {
		src, _, _ := strings.Cut(at+"/in", "#")
		at, _, _ = strings.Cut(at, "/around")
		s.url = pages(t, map[string]string{"/": fmt.Sprintf(around, src)})
		s.tab = s.first(t)
		for _, c := range []struct {
			q     protocol.ActRequest
			loads string
			gone  bool
		}{
			{click("css=#go"), at + "/other", false},
			{protocol.ActRequest{Kind: protocol.ActType, Target: "css=#leaves", Text: "abc"}, at + "/other", false},
			{protocol.ActRequest{Kind: protocol.ActType, Target: "css=#ends", Text: "abc"}, "", true},
			{click("css=#stays"), "", false},
		} {
			s.open(t, "/")
			e := s.act(t, c.q)
			if e.Frame != c.loads || e.FrameGone != c.gone || e.Navigated {
				t.Errorf("%s in %s: %+v", c.q.Target, at, e)
			}
		}
		// What the document around the frame shows belongs to the effect, too.
		for _, kind := range []protocol.ActKind{protocol.ActType, protocol.ActFill} {
			s.open(t, "/")
			if e := s.act(t, protocol.ActRequest{Kind: kind, Target: "css=#says", Text: "heard"}); src == at+"/in" && !strings.Contains(strings.Join(e.Said, " "), "heard") {
				t.Errorf("%s in %s: %+v", kind, at, e)
			}
		}
	}
}

func TestFramesOfBothKinds(t *testing.T) {
	inner := `<body style="margin:0"><div style="height:900px">top</div><button onclick="this.textContent = 'Hit ' + event.isTrusted">Inside</button><input aria-label=Field>`
	s := &stage{fixture: headless(t)}
	here := pages(t, map[string]string{"/in": inner, "/mid": ""})
	far := strings.Replace(here, "127.0.0.1", "localhost", 1)
	s.url = pages(t, map[string]string{"/": fmt.Sprintf(`<div style="height:1200px">above</div>
		<iframe title=Same srcdoc='%s' style="border:7px solid;padding:5px"></iframe><iframe title=Far src="%s/in" style="border:9px solid"></iframe>`, html.EscapeString(inner), far)})
	s.tab = s.first(t)
	s.open(t, "/")
	snap := s.framed(t, 2)
	var refs, fields []string
	for line := range strings.Lines(snap.Text) {
		f := strings.Fields(line)
		if strings.Contains(line, "btn Inside") {
			refs = append(refs, f[0])
		}
		if strings.Contains(line, "edit Field") {
			fields = append(fields, f[0])
		}
	}
	if len(refs) != 2 || len(fields) != 2 || refs[0] == refs[1] {
		t.Fatalf("%v %v in\n%s", refs, fields, snap.Text)
	}
	for i := range refs {
		if e := s.act(t, click(refs[i])); !strings.Contains(strings.Join(e.Changed, " "), "Hit true") {
			t.Errorf("%s: %+v", refs[i], e)
		}
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActFill, Target: fields[i], Text: "abc"})
		if e.Value == nil || *e.Value != "abc" {
			t.Errorf("%s: %+v", fields[i], e)
		}
	}
	s.refused(t, click("text=Inside"), protocol.CodeNoElement)
	if why := s.refused(t, click(`role=edit name=Field`), protocol.CodeAmbiguous); why == "" {
		t.Error("two frames with the same thing are not ambiguous")
	}
}

// Bars that stay over the page cover what was scrolled no further than needed, and the browser finds the frame of
// another process by what was drawn last.
func TestFramesBelowBars(t *testing.T) {
	inner := `<body style="margin:0"><div style="height:300px">top</div><button onclick="this.textContent = 'Hit'">Inside</button><div style="height:600px"></div>`
	s := &stage{fixture: headless(t)}
	here := pages(t, map[string]string{"/in": inner})
	far := strings.Replace(here, "127.0.0.1", "localhost", 1)
	s.url = pages(t, map[string]string{"/": fmt.Sprintf(`<body style="margin:0"><div style="position:fixed;z-index:1;left:0;right:0;top:0;height:90px;background:#eee">Top bar</div>
		<div style="position:fixed;z-index:1;left:0;right:0;bottom:0;height:120px;background:#ddd">Bottom bar</div>
		<style>iframe { width: 400px; height: 150px }</style><div style="height:1800px">above</div>
		<iframe id=same title=Same srcdoc='%[1]s'></iframe><iframe id=far title=Far src="%[2]s/in"></iframe>
		<iframe id=turned title=Turned src="%[2]s/in" style="transform:scale(.5) rotate(20deg);border:9px solid;padding:5px"></iframe><div style="height:900px">below</div>`, html.EscapeString(inner), far)})
	s.tab = s.first(t)
	s.open(t, "/")
	for line := range strings.Lines(s.framed(t, 3).Text) {
		if !strings.Contains(line, "btn Inside") {
			continue
		}
		s.eval(t, `scrollTo(0, 0)`)
		if e := s.act(t, click(strings.Fields(line)[0])); !strings.Contains(strings.Join(e.Changed, " "), "Hit") {
			t.Errorf("%s: %+v", line, e)
		}
	}
	// The frame itself is scrolled to, too, and something over it is not pressed in its place.
	s.eval(t, `scrollTo(0, 0)`)
	s.act(t, click("#same"))
	if got := s.eval(t, `document.activeElement.id + ' ' + (scrollY > 0)`); got != `"same true"` && got != "same true" {
		t.Errorf("a press on a frame out of view: %v", got)
	}
	s.eval(t, `document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;z-index:2;inset:0;background:#fff">Over all</div>')`)
	s.refused(t, click("#same"), protocol.CodeCovered)
}

func TestDeltaAndBudget(t *testing.T) {
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "<p><button>Row %d</button></p>", i)
	}
	s := stageOf(t, `<button id=b>First</button>`+rows.String())
	snap := s.snap(t, protocol.SnapshotRequest{Max: 1000})
	if len([]rune(snap.Text)) > 1000 || snap.More == 0 {
		t.Errorf("%d characters, %d more", len(snap.Text), snap.More)
	}
	at := strings.LastIndex(snap.Text, " more h")
	handle := strings.Fields(snap.Text[at+6:])[0]
	if behind := s.snap(t, protocol.SnapshotRequest{Scope: handle}); !strings.Contains(behind.Text, "Row 299") {
		t.Errorf("behind %s: %.300s", handle, behind.Text)
	}
	a := protocol.Caller{Name: "a"}
	s.snapshotAs(t, a, protocol.SnapshotRequest{})
	s.eval(t, `b.textContent = 'Changed'`)
	if d := s.snapshotAs(t, a, protocol.SnapshotRequest{Delta: true}); !strings.Contains(d.Text, "Changed") || strings.Contains(d.Text, "Row") {
		t.Errorf("%.500s", d.Text)
	}
	if d := s.snapshotAs(t, a, protocol.SnapshotRequest{Delta: true}); d.Text != "" {
		t.Errorf("%.500s", d.Text)
	}
	if d := s.snap(t, protocol.SnapshotRequest{Find: "/row 29\\d/i"}); strings.Count(d.Text, "Row") != 10 {
		t.Errorf("%.500s", d.Text)
	}
}

func TestDragScrollUpload(t *testing.T) {
	s := stageOf(t, `<div id=a draggable=true style="width:80px;height:40px;background:red">Drag me</div><div id=b tabindex=0 style="width:200px;height:80px;margin-top:50px" ondragover="event.preventDefault()" ondrop="this.textContent = 'Dropped'">Here</div>
		<div id=m tabindex=0 style="width:50px;height:50px" onmousedown="window.addEventListener('mouseup', () => { m.textContent = 'Moved' })">Knob</div>
		<input type=file id=f multiple><button onclick="f.click()">Choose</button><div style="height:3000px"></div><button>Deep</button>`)
	if why := s.refused(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: s.ref(t, "Choose"), To: "#none"}, protocol.CodeNoElement); !strings.Contains(why, "#none") {
		t.Errorf("an end that is not there: %s", why)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#a", To: "#b"})
	if got := s.eval(t, "b.textContent"); got != "Dropped" {
		t.Errorf("the drop: %q", got)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActDrag, Target: "#m", To: "300,300"})
	if got := s.eval(t, "m.textContent"); got != "Moved" {
		t.Errorf("the drag: %q", got)
	}
	file := filepath.Join(t.TempDir(), "up.txt")
	if err := os.WriteFile(file, []byte("hi"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"#f", "text=Choose"} {
		s.eval(t, "f.value = ''")
		s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: target, Values: []string{file}})
		if got := s.eval(t, "f.files[0]?.name"); got != "up.txt" {
			t.Errorf("%s: %q", target, got)
		}
	}
	if e := s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, DY: 500}); e.Moved == nil || e.Moved[1] != 500 {
		t.Errorf("%+v", e)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActScroll, Target: "text=Deep"})
	if got := s.eval(t, "scrollY > 2000"); got != "true" {
		t.Errorf("not scrolled to it")
	}
	s.act(t, click("text=Drag me")) // the mouse button is released at the end
}

func TestWaits(t *testing.T) {
	s := stageOf(t, `<button onclick="setTimeout(() => { document.body.append('Finished'); this.remove() }, 50)">Go</button><button onclick="setTimeout(() => location.href = '/?there', 50)">Leave</button>`)
	s.act(t, click("text=Go"))
	for _, q := range []protocol.WaitRequest{{Kind: protocol.WaitForText, Value: "Finished"}, {Kind: protocol.WaitForGone, Value: "button[onclick*=Finished]"}, {Kind: protocol.WaitForFunction, Value: "document.title === 'Stage'"}, {Kind: protocol.WaitForTime, Value: "5"}, {Kind: protocol.WaitForQuiet}} {
		if _, err := s.Wait(deadline(t), nobody, s.tab, q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	s.act(t, click("text=Leave"))
	if info, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForURL, Value: "*?there"}); err != nil {
		t.Errorf("%+v %v", info, err)
	}
	if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: "button"}); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Wait(short, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "never"}); code(err) != protocol.CodeTimeout {
		t.Errorf("a wait in vain: %v", err)
	}
}

// Twenty callers act on five tabs; every answer belongs to its tab.
func TestManyCallers(t *testing.T) {
	s := stageOf(t, `<button onclick="this.textContent = 'n' + (++n)">n0</button><script>var n = 0; document.title = location.search</script>`)
	tabs := []protocol.TabID{s.tab}
	for len(tabs) < 5 {
		id, err := s.NewTab(deadline(t), "", true)
		if err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, id)
	}
	for i, id := range tabs {
		if _, err := s.Navigate(deadline(t), nobody, id, fmt.Sprintf("%s/?tab%d", s.url, i), protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	const each = 5
	var all sync.WaitGroup
	for caller := range 20 {
		i := caller % len(tabs)
		all.Go(func() {
			for range each {
				snap, err := s.Snapshot(deadline(t), protocol.Caller{Name: fmt.Sprint(caller)}, tabs[i], protocol.SnapshotRequest{}, nil)
				if err != nil || !strings.Contains(snap.URL, fmt.Sprintf("?tab%d", i)) {
					t.Errorf("caller %d: %s %v", caller, snap.URL, err)
					return
				}
				e, err := s.Act(deadline(t), nobody, tabs[i], click("css=button"), nil)
				if err != nil || e.Tab != tabs[i] || !strings.Contains(e.URL, fmt.Sprintf("?tab%d", i)) {
					t.Errorf("caller %d: %+v %v", caller, e, err)
					return
				}
			}
		})
	}
	all.Wait()
	for _, id := range tabs {
		s.tab = id
		if got := s.eval(t, "n"); got != fmt.Sprint(20/len(tabs)*each) {
			t.Errorf("%s was clicked %s times", id, got)
		}
	}
}

// What has changed since the last snapshot, and whether an element is still the
// same, depends on what this caller has seen, not on what others have seen.
func TestEachCallerSawItself(t *testing.T) {
	s := stageOf(t, `<button id=b>Archive</button><p id=p>one</p>`)
	snap := func(caller string, delta bool) string {
		t.Helper()
		return s.snapshotAs(t, protocol.Caller{Name: caller}, protocol.SnapshotRequest{Delta: delta}).Text
	}
	ref := ""
	for line := range strings.Lines(snap("ada", false)) {
		if strings.Contains(line, "Archive") {
			ref = strings.Fields(line)[0]
		}
	}
	snap("bob", false)
	s.eval(t, `b.textContent = 'Delete all', p.textContent = 'two'`)
	if got := snap("bob", true); !strings.Contains(got, "Delete all") {
		t.Errorf("bob's delta: %q", got)
	}
	// Bob has seen the new name and Ada has not, no matter who took a snapshot
	// meanwhile.
	if _, err := s.Act(deadline(t), protocol.Caller{Name: "ada"}, s.tab, click(ref), nil); code(err) != protocol.CodeChanged || !strings.Contains(err.Error(), "Delete all") {
		t.Errorf("ada clicks what she saw as Archive: %v", err)
	}
	if _, err := s.Act(deadline(t), protocol.Caller{Name: "bob"}, s.tab, click(ref), nil); err != nil {
		t.Errorf("bob clicks what he saw: %v", err)
	}
	if _, err := s.Act(deadline(t), protocol.Caller{Name: "eve"}, s.tab, click(ref), nil); err != nil {
		t.Errorf("eve was told nothing of it: %v", err)
	}
	if got := snap("ada", true); !strings.Contains(got, "Delete all") || !strings.Contains(got, "two") {
		t.Errorf("ada's delta: %q", got)
	}
	if got := snap("bob", true); strings.Contains(got, "two") {
		t.Errorf("bob's second delta: %q", got)
	}
	if _, err := s.Act(deadline(t), protocol.Caller{Name: "ada"}, s.tab, click(ref), nil); err != nil {
		t.Errorf("ada after looking again: %v", err)
	}
}

// A navigation or a crash during a command ends the command with a code, and the
// tab works afterwards.
func TestEndsInTheMiddle(t *testing.T) {
	s := stageOf(t, `<button onclick="location.reload()">Reload</button>`)
	if e := s.act(t, click("text=Reload")); !e.Navigated {
		t.Errorf("%+v", e)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "never"})
		ended <- err
	}()
	p := s.page(t)
	for p.Frames == nil || s.queued() == 0 {
		runtime.Gosched()
	}
	_ = p.Post(t.Context(), "Page.crash", nil)
	if err := <-ended; code(err) != protocol.CodeCrashed {
		t.Errorf("a crash in the middle: %v", err)
	}
	if _, err := s.Reload(deadline(t), nobody, s.tab, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	s.act(t, click("text=Reload"))
}

func (s *stage) queued() int { return s.queue.Len() }
