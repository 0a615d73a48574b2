package browser

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Background events between two actions are reported with the next snapshot that
// asks for them, once to each caller, without those that the caller's own actions
// reported.
func TestBackgroundEvents(t *testing.T) {
	s := stageOf(t, `<button id=now onclick="console.error('at once')">Now</button>
		<button id=ask onclick="out.textContent = confirm('Really?')">Ask</button>
		<p id=out></p>`)
	news := func(caller string) []string {
		t.Helper()
		return s.snapshotAs(t, protocol.Caller{Name: caller}, protocol.SnapshotRequest{News: true}).News
	}
	press := func(caller, target string) protocol.Effect {
		t.Helper()
		e, err := s.Act(deadline(t), protocol.Caller{Name: caller}, s.tab, click(target), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	s.eval(t, "console.error('of before')")
	if got := news("ada"); len(got) != 0 {
		t.Errorf("Ada begins with %q", got)
	}
	news("bob")

	if e := press("ada", "#now"); len(e.Errors) != 1 {
		t.Fatalf("the click tells %q", e.Errors)
	}
	s.eval(t, "setTimeout(() => { console.error('later'); setTimeout(() => { out.textContent = 'over' }); throw new Error('thrown') })")
	if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "over"}); err != nil {
		t.Fatal(err)
	}
	if got := news("ada"); len(got) != 2 || !strings.Contains(got[0], "later") || !strings.Contains(got[1], "thrown") {
		t.Errorf("Ada is told %q", got)
	}
	if got := news("ada"); len(got) != 0 {
		t.Errorf("Ada is told again: %q", got)
	}
	if got := news("bob"); len(got) != 3 || !strings.Contains(got[0], "at once") {
		t.Errorf("Bob is told %q", got)
	}

	// A dialog that Ada answers herself is no background event for her.
	if e := press("ada", "#ask"); e.Dialog == nil {
		t.Fatal("no dialog opened")
	}
	if _, err := s.Dialog(deadline(t), protocol.Caller{Name: "ada"}, s.tab, true, nil); err != nil {
		t.Fatal(err)
	}
	if got := news("ada"); len(got) != 0 {
		t.Errorf("Ada is told of her own answer: %q", got)
	}
	if got := news("bob"); !slices.Equal(got, []string{"a dialog was answered: confirm: Really?"}) {
		t.Errorf("Bob is told %q", got)
	}
}

// A snapshot of a tab that shows a PDF file says so.
func TestPDFIsNamed(t *testing.T) {
	s := stageOf(t, `<title>Before</title>`)
	paper := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	address := "data:application/pdf;base64," + base64.StdEncoding.EncodeToString([]byte(paper))
	if _, err := s.Navigate(deadline(t), nobody, s.tab, address, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	_, err := s.Snapshot(deadline(t), nobody, s.tab, protocol.SnapshotRequest{}, nil)
	if code(err) != protocol.CodeNotActable || !strings.Contains(err.Error(), "a PDF file") {
		t.Errorf("it says %v", err)
	}
}
