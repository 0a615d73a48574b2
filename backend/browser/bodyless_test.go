package browser

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Documents without a body, and documents that are empty at the moment, support
// snapshots and actions like others.
func TestPagesWithoutBody(t *testing.T) {
	s := stageOf(t, `<button onclick="document.open()">Clear</button>`)
	if e := s.act(t, click("text=Clear")); e.Hit == "" {
		t.Errorf("a click that clears the page: %+v", e)
	}
	if now := s.snap(t, protocol.SnapshotRequest{}); now.Refs != 0 {
		t.Errorf("an empty document shows %q", now.Text)
	}
	s.refused(t, click("text=Clear"), protocol.CodeNoElement)
	s.eval(t, "document.write(`<button onclick=this.textContent=7>Back</button>`), document.close()")
	if e := s.act(t, click("text=Back")); len(e.Changed)+len(e.Appeared) == 0 {
		t.Errorf("what was written then: %+v", e)
	}
	for kind, document := range map[string]string{
		"image/svg+xml": `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><a href="#there"><text y="40">Onwards</text></a></svg>`,
		"text/xml":      `<list xmlns:h="http://www.w3.org/1999/xhtml"><h:a href="#there">Onwards</h:a></list>`,
	} {
		if _, err := s.Navigate(deadline(t), nobody, s.tab, "data:"+kind+","+strings.ReplaceAll(document, "#", "%23"), protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		if text := s.snap(t, protocol.SnapshotRequest{}).Text; !strings.Contains(text, "Onwards") {
			t.Errorf("%s shows %q", kind, text)
		}
		if e := s.act(t, click("text=Onwards")); !strings.Contains(e.Hit, "link Onwards") {
			t.Errorf("a link in %s: %+v", kind, e)
		}
	}
}
