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

// Every command that reads a page refuses a PDF file in the same words.
func TestPDFIsNamed(t *testing.T) {
	s := stageOf(t, `<title>Before</title>`)
	paper := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	address := "data:application/pdf;base64," + base64.StdEncoding.EncodeToString([]byte(paper))
	if _, err := s.Navigate(deadline(t), nobody, s.tab, address, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	ctx := deadline(t)
	for name, read := range map[string]func() error{
		"snapshot": func() error {
			_, err := s.Snapshot(ctx, nobody, s.tab, protocol.SnapshotRequest{}, nil)
			return err
		},
		"snapshot find": func() error {
			_, err := s.Snapshot(ctx, nobody, s.tab, protocol.SnapshotRequest{Find: "a"}, nil)
			return err
		},
		"text":     func() error { _, err := s.Text(ctx, nobody, s.tab, 1000); return err },
		"markdown": func() error { _, err := s.Markdown(ctx, nobody, s.tab, "", 1000); return err },
		"find":     func() error { _, err := s.Search(ctx, nobody, s.tab, "Paper", 5); return err },
		"links":    func() error { _, _, err := s.Links(ctx, nobody, s.tab); return err },
		"forms":    func() error { _, _, err := s.Forms(ctx, nobody, s.tab); return err },
		"tables":   func() error { _, _, err := s.Tables(ctx, nobody, s.tab); return err },
		"media":    func() error { _, _, err := s.Media(ctx, nobody, s.tab); return err },
		"data":     func() error { _, err := s.Data(ctx, nobody, s.tab); return err },
		"wait": func() error {
			_, err := s.Wait(ctx, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "Paper"})
			return err
		},
		"watch": func() error {
			_, err := s.WatchFor(ctx, nobody, s.tab, protocol.WatchRequest{Kind: "text", Value: "Paper"})
			return err
		},
	} {
		if err := read(); code(err) != protocol.CodeNotActable || !strings.Contains(err.Error(), "a PDF file") {
			t.Errorf("%s says %v", name, err)
		}
	}
	if _, err := s.Screenshot(ctx, nobody, s.tab, protocol.ScreenshotRequest{Format: "png"}); err != nil {
		t.Error(err)
	}
}
