package browser

import (
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// A command on a tab that is closing returns "closed" at any moment, even between
// the end of its target and the worker's report.
func TestAskedWhileItCloses(t *testing.T) {
	f := windowed(t)
	page := site(t).URL + "/one"
	for range 8 {
		id, err := f.NewTab(deadline(t), "", false)
		if err != nil {
			t.Fatal(err)
		}
		f.open(t, id, page)
		asks := map[string]func() error{
			"its text": func() error { _, err := f.Text(deadline(t), nobody, id, 100); return err },
			"a look": func() error {
				_, err := f.Snapshot(deadline(t), nobody, id, protocol.SnapshotRequest{}, nil)
				return err
			},
			"a wait": func() error {
				_, err := f.Wait(deadline(t), nobody, id, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "never on this page"})
				return err
			},
			"the front": func() error { return f.ActivateTab(deadline(t), id) },
			"its window": func() error {
				return f.SetWindow(deadline(t), id, &protocol.Clip{X: 0, Y: 0, Width: 900, Height: 700}, "")
			},
			"its cover":   func() error { return f.SetOverlay(deadline(t), id, protocol.Overlay{}) },
			"its gate":    func() error { return f.Gate(deadline(t), id, nil, func(string, bool) error { return nil }, nil, nil) },
			"its cookies": func() error { _, err := f.Cookies(deadline(t), nobody, id, "", protocol.CookiesOfSite); return err },
			"its console": func() error { _, err := f.Console(deadline(t), id, 0); return err },
			"its dialog": func() error {
				if _, err := f.Dialog(deadline(t), nobody, id, true, nil); code(err) != protocol.CodeNoElement {
					return err
				}
				return nil
			},
		}
		var wg sync.WaitGroup
		for what, ask := range asks {
			wg.Go(func() {
				err := ask()
				for err == nil {
					err = ask()
				}
				if code(err) != protocol.CodeUnknownTab {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		for range 2 { // other callers close it at the same time
			wg.Go(func() {
				if err := f.CloseTab(deadline(t), id); err != nil && code(err) != protocol.CodeUnknownTab {
					t.Errorf("its end: %v", err)
				}
			})
		}
		wg.Wait()
	}
}
