package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// What a Wait waits for may appear in any frame: of another site, made later, or
// in a frame's next document. What must be gone must be gone from all frames. A
// Wait accepts every target that a click accepts.
func TestWaitInFrames(t *testing.T) {
	s := stageOf(t, "")
	inside := pages(t, map[string]string{
		"/late":   `<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p>All <b>done</b></p><button>Save it</button><label>Town <input></label>'), 200)</script>`,
		"/spin":   `<div id=spin role=progressbar aria-label=Busy style="width:9px;height:9px">busy</div><script>setTimeout(() => spin.remove(), 200)</script>`,
		"/closed": `<div id=host></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = '<p>Behind doors</p>'</script>`,
		"/moves":  `<script>setTimeout(() => location.replace('/late'), 100)</script>`,
	})
	other := strings.Replace(inside, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]struct {
		body string
		q    protocol.WaitRequest
	}{
		"a text in a frame":                  {`<iframe src="URL/late"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "all done"}},
		"a text in a frame of another site":  {`<iframe src="OTHER/late"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "all done"}},
		"a button in a frame made later":     {`<script>setTimeout(() => { document.body.innerHTML = '<iframe src="OTHER/late"></iframe>' }, 100)</script>`, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: `role=button name="Save it"`}},
		"a field in a frame that moves":      {`<iframe src="URL/moves"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: "label=Town"}},
		"a selector in a frame that moves":   {`<iframe src="OTHER/moves"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: "css=b"}},
		"a text as an element":               {`<iframe src="URL/late"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: `text="All done"`}},
		"a text in a closed root of a frame": {`<iframe src="OTHER/closed"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "Behind doors"}},
		"the end of something in a frame":    {`<p>main</p><iframe src="OTHER/spin"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForGone, Value: "#spin"}},
		"the end of something by its role":   {`<iframe src="URL/spin"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForGone, Value: "role=progressbar name=Busy"}},
		"the end of a text in a frame":       {`<iframe src="URL/spin"></iframe>`, protocol.WaitRequest{Kind: protocol.WaitForGone, Value: "text=busy"}},
	} {
		body := strings.NewReplacer("URL", inside, "OTHER", other).Replace(c.body)
		if _, err := s.Navigate(deadline(t), nobody, s.tab, pages(t, map[string]string{"/": body})+"/", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(deadline(t), nobody, s.tab, c.q); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.q.Kind == protocol.WaitForGone {
			if text, err := s.Text(deadline(t), nobody, s.tab, 1000); err != nil || strings.Contains(text.Text, "busy") {
				t.Errorf("%s: it is there: %q, %v", name, text.Text, err)
			}
		}
	}
	for _, bad := range []string{"role=", "10,10", ":::", "text="} {
		if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForElement, Value: bad}); code(err) != protocol.CodeBadArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
	// What remains in a frame is not gone.
	if _, err := s.Navigate(deadline(t), nobody, s.tab, pages(t, map[string]string{"/": `<iframe src="` + inside + `/late"></iframe>`})+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "all done"}); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(deadline(t), 300*time.Millisecond)
	defer cancel()
	if _, err := s.Wait(short, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForGone, Value: "b"}); code(err) != protocol.CodeTimeout {
		t.Errorf("what is there in a frame: %v", err)
	}
}

// A watch sees what a Wait sees, and reports the document in which it appeared.
// Other callers can act on the tab meanwhile, even on a dialog that opens.
func TestWatchInFrames(t *testing.T) {
	s := stageOf(t, `<title>Watch</title>`)
	inside := pages(t, map[string]string{
		"/": `<div id=spin role=progressbar aria-label=Busy>busy</div><div id=host></div><script>
			const shut = host.attachShadow({ mode: 'closed' });
			addEventListener('message', ({ data }) => {
				if (data === 'gone') spin.remove();
				else if (data === 'closed') shut.innerHTML = '<p>Behind doors</p>';
				else document.body.insertAdjacentHTML('beforeend', '<p>Before</p><p>All <b>done</b> now</p><button>Save it</button>');
			});</script>`,
	})
	other := strings.Replace(inside, "127.0.0.1", "localhost", 1)
	body := `<p>main</p><iframe src="` + other + `/"></iframe><script>const say = (word) => frames[0].postMessage(word, '*')</script>
		<button onclick="confirm('sure?'); say('come')">Ask</button>`
	page := pages(t, map[string]string{"/": body}) + "/"
	answered := make(chan error, 1)
	say := func(word string) func() { return func() { s.eval(t, "say('"+word+"')") } }
	for _, c := range []struct {
		name string
		q    protocol.WatchRequest
		then func()
		want string
	}{
		{"a text", protocol.WatchRequest{Kind: "text", Value: "all done"}, say("come"), "All done now"},
		{"an element by its role", protocol.WatchRequest{Kind: "element", Value: `role=button name="Save it"`}, say("come"), "btn Save it"},
		{"a text as an element", protocol.WatchRequest{Kind: "element", Value: "text=/all +done/i"}, say("come"), "All done now"},
		{"a text in a closed root", protocol.WatchRequest{Kind: "text", Value: "behind"}, say("closed"), "Behind doors"},
		{"the end of a text", protocol.WatchRequest{Kind: "text", Value: "BUSY", Gone: true}, say("gone"), "BUSY"},
		{"the end of an element", protocol.WatchRequest{Kind: "element", Value: "role=progressbar", Gone: true}, say("gone"), "role=progressbar"},
		{"what comes after a dialog", protocol.WatchRequest{Kind: "text", Value: "all done"}, func() {
			go func() {
				_, err := s.Act(deadline(t), nobody, s.tab, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Ask"}, nil)
				if err == nil {
					_, err = s.Dialog(deadline(t), nobody, s.tab, true, nil)
				}
				answered <- err
			}()
			if err := <-answered; err != nil {
				t.Errorf("the dialog: %v", err)
			}
		}, "All done now"},
	} {
		if _, err := s.Navigate(deadline(t), nobody, s.tab, page, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			r, err := s.WatchFor(deadline(t), nobody, s.tab, c.q)
			if err == nil && (r.What != c.want || !c.q.Gone && r.Origin != other) {
				err = fmt.Errorf("saw %+v", r)
			}
			done <- err
		}()
		c.then()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, bad := range []string{"role=", "10,10", ":::", "text="} {
		if _, err := s.WatchFor(deadline(t), nobody, s.tab, protocol.WatchRequest{Kind: "element", Value: bad}); code(err) != protocol.CodeBadArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What appears in a closed root that was empty or missing when the wait began is
// found, in a background tab, too.
func TestClosedRootsWhileWaiting(t *testing.T) {
	s := stageOf(t, `<title>Roots</title>`)
	page := pages(t, map[string]string{"/": `<p>main</p><div id=empty></div><div id=none></div><script>
		const shut = empty.attachShadow({ mode: 'closed' });
		const fill = () => { shut.innerHTML = '<p>Behind doors</p>'; };
		const make = () => { none.attachShadow({ mode: 'closed' }).innerHTML = '<p>Behind doors</p>'; };
		// Most likely after the wait has begun; the other way round it is seen at once.
		const later = (what) => { setTimeout(what, 300); };</script>`}) + "/"
	back, err := s.NewTab(deadline(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, s.tab = range []protocol.TabID{s.tab, back} {
		for _, how := range []string{"fill", "make"} {
			if _, err := s.Navigate(deadline(t), nobody, s.tab, page, protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
			s.eval(t, "later("+how+")")
			if _, err := s.Wait(deadline(t), nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "behind doors"}); err != nil {
				t.Errorf("%s in tab %s: %v", how, s.tab, err)
			}
		}
	}
}

// When a snapshot finds new closed roots, it still reports all other changes.
func TestChangesBesideClosedRoots(t *testing.T) {
	s := stageOf(t, `<button>First</button><div id=host></div><script>
		const close = (at, name) => { at.attachShadow({ mode: 'closed' }).innerHTML = '<button>' + name + '</button>'; };
		close(host, 'Inside');
		const more = () => { document.body.insertAdjacentHTML('beforeend', '<button>Second</button><div id=other></div>'); close(other, 'Within'); };
	</script>`)
	for i, want := range [][]string{{"First", "Inside"}, {"Second", "Within"}} {
		if i > 0 {
			s.eval(t, "more()")
		}
		snap := s.snapshotAs(t, protocol.Caller{Name: "a"}, protocol.SnapshotRequest{Delta: true})
		for _, name := range want {
			if !strings.Contains(snap.Text, name) {
				t.Errorf("%s is missing in %q", name, snap.Text)
			}
		}
	}
}

// A click by another caller on the same tab can cause what a caller waits for;
// the click is not queued behind the wait.
func TestOthersActDuringAWait(t *testing.T) {
	s := stageOf(t, `<button onclick="this.after(Object.assign(document.createElement('p'), { textContent: 'Ready to go' }))">Make it ready</button>`)
	agent := protocol.Caller{Name: "task:1", InOrder: true}
	met := make(chan error, 1)
	go func() {
		_, err := s.Wait(deadline(t), agent, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "Ready to go"})
		met <- err
	}()
	for waits := false; !waits; { // until it is in the queue
		waits = s.queue.Busy(s.tab)
	}
	shell := protocol.Caller{Name: "shell:"}
	if e, err := s.Act(deadline(t), shell, s.tab, click("text=Make it ready"), nil); err != nil || e.Nothing {
		t.Fatalf("a click during a wait: %+v, %v", e, err)
	}
	if err := <-met; err != nil {
		t.Errorf("the wait did not see it: %v", err)
	}
}
