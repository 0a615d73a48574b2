package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// uploads writes files and folders to be uploaded, and returns the folder of all.
func uploads(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"one.txt": "one", "two.txt": "two", "pic.png": "png", "many/a.txt": "a", "many/sub/b.txt": "b"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "empty", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// uploadPage has fields, buttons that open file choosers, and places for drops. What the
// page gets is in its log.
const uploadPage = `<style>.z { border: 1px solid; width: 260px; height: 50px }</style>
	<input type=file id=one><input type=file id=many multiple><input type=file id=dir webkitdirectory><input type=file id=dirs webkitdirectory multiple>
	<input type=file id=off disabled><fieldset disabled><input type=file id=within></fieldset><label for=off id=offlabel>Off label</label>
	<input type=file id=png accept=".png, image/jpeg"><label id=label>Label <input type=file hidden id=labelled></label>
	<button id=now onclick="many.click()">Now</button><button id=single onclick="one.click()">Single</button><button id=folder onclick="window.dir.click()">Folder</button>
	<button id=timer onclick="setTimeout(() => choose('timer'), 1200)">Timer</button>
	<button id=fetch onclick="fetch('/slow').then(() => choose('fetch'))">Fetch</button>
	<button id=picker onclick="showOpenFilePicker().then(() => say('picked'), (e) => say(e.name))">Picker</button>
	<button id=nothing>Nothing</button><button id=alert onclick="alert('No')">Alert</button><p id=text>Just text</p>
	<a id=leads href="/other">Leads</a>
	<div class=z id=zone>Zone</div><div class=z id=button role=button>Button zone</div>
	<div class=z id=listens>Listens</div><div class=z id=react><span id=inner>Inner</span></div>
	<div class=z id=lock>Closed zone</div><div class=z id=files>Files only</div>
	<iframe id=f srcdoc="<div id=inside style='width:200px;height:60px' ondragover='event.preventDefault()' ondrop='event.preventDefault(); parent.say(&quot;frame &quot; + event.dataTransfer.files[0].name)'>Frame zone</div><button id=framed onclick=&quot;parent.choose('framed')&quot;>Framed</button>"></iframe>
	<div id=host></div>
	<script>
	const lines = [];
	var say = (text) => { lines.push(text); parent.postMessage(text, '*'); };
	const names = (files) => [...files].map((f) => (f.webkitRelativePath || f.name) + ':' + f.size).sort().join(' ');
	var choose = (name) => { const i = document.createElement('input'); i.type = 'file'; i.onchange = () => say(name + ' ' + names(i.files)); i.click(); };
	for (const input of document.querySelectorAll('input')) input.onchange = () => say(input.id + ' ' + names(input.files));
	const drops = (el, ok = () => true) => {
		el.addEventListener('dragover', (e) => { if (ok(e)) e.preventDefault(); });
		el.addEventListener('drop', (e) => {
			e.preventDefault();
			const folders = [...e.dataTransfer.items].map((i) => i.webkitGetAsEntry()).filter((i) => i?.isDirectory).map((i) => i.name);
			say(el.id + ' ' + (folders.length ? 'folder ' + folders : names(e.dataTransfer.files)));
		});
	};
	let over = 0;
	zone.addEventListener('dragenter', () => over++);
	for (const el of [text]) el.addEventListener('dragleave', () => say('left'));
	for (const el of [zone, button, listens, lock]) drops(el);
	drops(files, (e) => e.dataTransfer.types.includes('Files'));
	listens.addEventListener('click', () => choose('listens'));
	document.addEventListener('dragover', (e) => { if (react.contains(e.target)) e.preventDefault(); });
	document.addEventListener('drop', (e) => { if (react.contains(e.target)) { e.preventDefault(); say('react ' + names(e.dataTransfer.files)); } });
	const root = host.attachShadow({ mode: 'closed' });
	root.innerHTML = '<button>Shadow</button><input type=file hidden>';
	root.querySelector('button').onclick = () => root.querySelector('input').click();
	root.querySelector('input').onchange = (e) => say('shadow ' + names(e.target.files));
	</script>`

func uploadSite(t *testing.T) string {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(1300 * time.Millisecond)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Upload</title>", uploadPage)
	})).URL
}

// Files get to where they are asked for, and the page sees all of them.
func TestUploads(t *testing.T) {
	dir := uploads(t)
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := &stage{fixture: share(t, windowless), url: uploadSite(t)}
			s.tab = s.first(t)
			s.open(t, "/")
			for _, one := range []struct {
				target  string
				files   []string
				want    string
				dropped bool
			}{
				{"#one", []string{"one.txt"}, "one one.txt:3", false},
				{"#many", []string{"one.txt", "two.txt"}, "many one.txt:3 two.txt:3", false},
				{"#dir", []string{"many"}, "dir many/a.txt:1 many/sub/b.txt:1", false},
				{"#dirs", []string{"many"}, "dirs many/a.txt:1 many/sub/b.txt:1", false},
				{"#folder", []string{"many"}, "dir many/a.txt:1 many/sub/b.txt:1", false}, // the same again
				{"text=Label", []string{"two.txt"}, "labelled two.txt:3", false},
				{"#now", []string{"pic.png", "two.txt"}, "many pic.png:3 two.txt:3", false},
				{"#single", []string{"two.txt"}, "one two.txt:3", false},
				{"#timer", []string{"one.txt"}, "timer one.txt:3", false},
				{"#fetch", []string{"one.txt"}, "fetch one.txt:3", false},
				{"text=Shadow", []string{"one.txt"}, "shadow one.txt:3", false},
				{"text=Framed", []string{"one.txt"}, "framed one.txt:3", false},
				{"#zone", []string{"one.txt", "two.txt"}, "zone one.txt:3 two.txt:3", true},
				{"text=Closed zone", []string{"one.txt"}, "lock one.txt:3", true},
				{"#button", []string{"one.txt"}, "button one.txt:3", true},
				{"#files", []string{"one.txt"}, "files one.txt:3", true},
				{"#zone", []string{"many"}, "zone folder many", true},
				{"text=Inner", []string{"one.txt"}, "react one.txt:3", true},
				{"text=Frame zone", []string{"one.txt"}, "frame one.txt", true},
				{"#listens", []string{"one.txt"}, "listens one.txt:3", false},
			} {
				if !windowless && slices.Contains([]string{"#many", "#now", "#single", "#files", "text=Inner"}, one.target) {
					continue // the same code
				}
				paths := make([]string, len(one.files))
				for i, name := range one.files {
					paths[i] = filepath.Join(dir, name)
				}
				s.eval(t, "lines.length = 0")
				e := s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: one.target, Values: paths})
				if got := s.eval(t, "lines.join(' | ')"); got != one.want || e.Dropped != one.dropped || e.Accept != "" {
					t.Errorf("%s gets %q: %+v", one.target, got, e)
				}
			}
			e := s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#png", Values: []string{filepath.Join(dir, "one.txt")}})
			if e.Accept != ".png, image/jpeg" {
				t.Errorf("%+v", e)
			}
			if e := s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#png", Values: []string{filepath.Join(dir, "pic.png")}}); e.Accept != "" {
				t.Errorf("%+v", e)
			}
		})
	}
}

// What a page does not take is refused before anything is done, with the reason.
func TestUploadsAreRefused(t *testing.T) {
	dir := uploads(t)
	s := &stage{fixture: headless(t), url: uploadSite(t)}
	s.tab = s.first(t)
	s.open(t, "/")
	secret := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(secret, nil, 0o000); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		target string
		files  string
		code   protocol.Code
		says   string
	}{
		{"#dir", "one.txt", protocol.CodeNotActable, "takes a folder"},
		{"#dir", "many one.txt", protocol.CodeNotActable, "takes a folder"},
		{"#dirs", "many empty", protocol.CodeNotActable, "takes one folder"},
		{"#folder", "one.txt", protocol.CodeNotActable, "takes a folder"},
		{"#dir", "empty", protocol.CodeBadArgument, "no file in"},
		{"#one", "many", protocol.CodeNotActable, "is a folder"},
		{"#many", "one.txt many", protocol.CodeNotActable, "is a folder"},
		{"#one", "one.txt two.txt", protocol.CodeNotActable, "takes one file, and you gave 2"},
		{"#single", "one.txt two.txt", protocol.CodeNotActable, "takes one file, and you gave 2"},
		{"#off", "one.txt", protocol.CodeDisabled, "disabled"},
		{"#within", "one.txt", protocol.CodeDisabled, "disabled"},
		{"text=Off label", "one.txt", protocol.CodeDisabled, "disabled"},
		{"#picker", "one.txt", protocol.CodeNotActable, "File System Access"},
		{"#nothing", "one.txt", protocol.CodeNotActable, "opens no file chooser"},
		{"#text", "one.txt", protocol.CodeNotActable, "opens no file chooser"},
		{"#one", "missing.txt", protocol.CodeBadArgument, "there is no file"},
		{"#none", "one.txt", protocol.CodeNoElement, "#none"},
	} {
		var paths []string
		for name := range strings.FieldsSeq(one.files) {
			paths = append(paths, filepath.Join(dir, name))
		}
		why := s.refused(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: one.target, Values: paths}, one.code)
		if !strings.Contains(why, one.says) {
			t.Errorf("%s with %s: %s", one.target, one.files, why)
		}
	}
	// No chooser opens within the caller's time, which is less than ours.
	short, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	_, err := s.Act(short, nobody, s.tab, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#nothing", Values: []string{filepath.Join(dir, "one.txt")}}, nil)
	if code(err) != protocol.CodeNotActable || !strings.Contains(err.Error(), "opens no file chooser") {
		t.Errorf("with little time: %v", err)
	}
	if os.Geteuid() != 0 {
		s.refused(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#one", Values: []string{secret}}, protocol.CodeBadArgument)
	}
	if got := s.eval(t, "lines.join(' | ')"); got != "AbortError | left" {
		t.Errorf("the page has seen %q", got)
	}
	if got := s.eval(t, "[...document.querySelectorAll('input')].reduce((n, i) => n + i.files.length, 0)"); got != "0" {
		t.Errorf("the fields have %s files", got)
	}
	one := []string{filepath.Join(dir, "one.txt")}
	if why := s.refused(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#leads", Values: one}, protocol.CodeNotActable); !strings.Contains(why, "led elsewhere") {
		t.Error(why)
	}
	s.open(t, "/")
	s.refused(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#alert", Values: one}, protocol.CodeDialog)
	if _, err := s.Dialog(deadline(t), nobody, s.tab, true, nil); err != nil {
		t.Fatal(err)
	}
}

// A file chooser in a frame of another process is met, and so is a place for drops there.
func TestUploadInAnotherProcess(t *testing.T) {
	dir := uploads(t)
	inner := uploadSite(t)
	s := stageOf(t, `<script>lines = []; addEventListener('message', (e) => lines.push(e.data))</script><iframe src="`+strings.Replace(inner, "127.0.0.1", "localhost", 1)+`" style="width:700px;height:900px"></iframe>`)
	one := []string{filepath.Join(dir, "one.txt")}
	for target, want := range map[string]string{"#one": "one", "#now": "many", "#timer": "timer", "#zone": "zone"} {
		s.eval(t, "lines.length = 0")
		e := s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: target, Values: one})
		if got := s.eval(t, "lines.join(' | ')"); got != want+" one.txt:3" || e.Dropped != (target == "#zone") {
			t.Errorf("%s gets %q: %+v", target, got, e)
		}
	}
	if why := s.refused(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#single", Values: []string{one[0], one[0]}}, protocol.CodeNotActable); !strings.Contains(why, "takes one file") {
		t.Error(why)
	}
}

// A place for drops in a frame that the browser draws some time after it was scrolled to:
// what is dropped does not go to what was there before.
func TestUploadWhereDrawnLate(t *testing.T) {
	dir := uploads(t)
	s := stageOf(t, `<style>i { position: fixed; inset: 0; pointer-events: none; backdrop-filter: blur(30px) } p { height: 3000px }</style>
		<script>lines = []; addEventListener('message', (e) => lines.push(e.data))</script><p></p>
		<iframe src="`+strings.Replace(uploadSite(t), "127.0.0.1", "localhost", 1)+`" style="width:700px;height:900px"></iframe>`+strings.Repeat("<i></i>", 12))
	e := s.act(t, protocol.ActRequest{Kind: protocol.ActUpload, Target: "#zone", Values: []string{filepath.Join(dir, "one.txt")}})
	if got := s.eval(t, "lines.join(' | ')"); got != "zone one.txt:3" || !e.Dropped {
		t.Errorf("the zone gets %q: %+v", got, e)
	}
}
