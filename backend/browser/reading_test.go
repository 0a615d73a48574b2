package browser

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// readings serves pages by their kind of file.
func readings(t *testing.T, all map[string]string) string {
	t.Helper()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := all[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kinds := map[string]string{".svg": "image/svg+xml", ".pdf": "application/pdf", ".png": "image/png"}
		kind := "text/html; charset=utf-8"
		if at := strings.LastIndexByte(r.URL.Path, '.'); at > 0 {
			kind = kinds[r.URL.Path[at:]]
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}))
	return server.URL
}

const paper = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// What an object or embed element shows is in a snapshot, in the text and in Markdown,
// and can be acted on.
func TestEmbeddedContent(t *testing.T) {
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{fixture: headless(t)}
	s.tab = s.first(t)
	s.url = readings(t, map[string]string{
		"/page":      `<!doctype html><p>Text of a page</p><button onclick="parent.document.title='pressed'">Press it</button>`,
		"/draw.svg":  `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><title>A drawing</title><text y="20">Text of a drawing</text></svg>`,
		"/dot.png":   string(dot),
		"/paper.pdf": paper,
		"/":          `<!doctype html><title>Stage</title><p>first</p><object data=/page width=300 height=80></object><p>second</p><embed src=/page type=text/html width=300 height=80><p>third</p><object data=/draw.svg type=image/svg+xml></object><p>fourth</p><embed src=/draw.svg><p>fifth</p><object data=/dot.png width=50 height=50>A dot</object><object data=/none><p>Instead of it</p></object><p>last</p>`,
		"/pdf":       `<!doctype html><title>Stage</title><p>first</p><embed src=/paper.pdf type=application/pdf width=300 height=200><p>second</p><iframe src=/paper.pdf width=300 height=200></iframe><p>third</p><object data=/paper.pdf type=application/pdf width=300 height=200></object><p>last</p>`,
	})
	s.open(t, "/")
	ctx := deadline(t)
	order := []string{"first", "Text of a page", "second", "Text of a page", "third", "Text of a drawing", "fourth", "Text of a drawing", "fifth", "A dot", "Instead of it", "last"}
	text, err := s.Text(ctx, nobody, s.tab, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	markdown, err := s.Markdown(ctx, nobody, s.tab, "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	snap := s.snap(t, protocol.SnapshotRequest{})
	for name, whole := range map[string]string{"snapshot": snap.Text, "text": text.Text, "markdown": markdown.Text} {
		rest := whole
		for _, part := range order {
			if name == "text" && part == "A dot" { // a text has no images
				continue
			}
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s has no %q after the rest:\n%s", name, part, whole)
				break
			}
			rest = after
		}
	}
	found, err := s.Search(ctx, nobody, s.tab, "text of a", 9)
	if err != nil || found.Total != 4 {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, target := range []string{s.refOfLine(t, "Press it", 1), s.refOfLine(t, "Press it", 2)} {
		s.eval(t, "document.title = ''")
		s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: target})
		if title := s.eval(t, "document.title"); title != "pressed" {
			t.Errorf("a click on %s does nothing", target)
		}
	}
	s.open(t, "/pdf")
	snap = s.snap(t, protocol.SnapshotRequest{})
	if text, err = s.Text(ctx, nobody, s.tab, 10_000); err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string]string{"snapshot": snap.Text, "text": text.Text} {
		if n := strings.Count(whole, "a PDF file"); n != 3 || !strings.Contains(whole, "last") {
			t.Errorf("%s names %d PDF files:\n%s", name, n, whole)
		}
	}
	if found, err = s.Search(ctx, nobody, s.tab, "third", 9); err != nil || found.Total != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// refOfLine returns the ref of the nth line of a snapshot that has this text.
func (s *stage) refOfLine(t *testing.T, text string, nth int) string {
	t.Helper()
	for line := range strings.Lines(s.snap(t, protocol.SnapshotRequest{}).Text) {
		if !strings.Contains(line, text) {
			continue
		}
		if nth--; nth == 0 {
			return strings.Fields(line)[0]
		}
	}
	t.Fatalf("there are not so many lines with %q", text)
	return ""
}

// A page with a thousand levels is read, in frames and closed shadow roots, too.
func TestDeepPage(t *testing.T) {
	s := stageOf(t, `<p>first</p><main></main><iframe srcdoc="<p>in a frame</p>"></iframe><p>last</p><script>
		let at = document.querySelector('main');
		for (let i = 0; i < 1000; i++) { const next = document.createElement('div'); at.append(next); at = next; }
		const inner = document.createElement('div');
		at.append('deepest text', inner);
		inner.attachShadow({ mode: 'closed' }).innerHTML = '<button onclick="document.title = this.textContent">In a closed root</button>';
	</script>`)
	ctx := deadline(t)
	snap := s.snap(t, protocol.SnapshotRequest{JSON: true})
	text, err := s.Text(ctx, nobody, s.tab, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	markdown, err := s.Markdown(ctx, nobody, s.tab, "", 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string]string{"snapshot": snap.Text, "text": text.Text, "markdown": markdown.Text} {
		for _, part := range []string{"first", "deepest text", "In a closed root", "in a frame", "last"} {
			if !strings.Contains(whole, part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=In a closed root"})
	if title := s.eval(t, "document.title"); title != "In a closed root" {
		t.Errorf("the title is %q", title)
	}
	if _, err := s.Wait(ctx, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "in a closed root"}); err != nil {
		t.Error(err)
	}
}
