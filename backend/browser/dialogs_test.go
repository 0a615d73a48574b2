package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

// timed runs a command that must not wait for its time limit, which is that of a
// command for which none is given.
func timed[T any](t *testing.T, what string, f func(ctx context.Context) (T, error)) (T, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), protocol.CommandTimeout)
	defer cancel()
	v, err := f(ctx)
	if ctx.Err() != nil {
		t.Errorf("%s waited for its time limit", what)
	}
	return v, err
}

func (s *stage) goTo(t *testing.T, path string) (protocol.PageInfo, error) {
	t.Helper()
	return timed(t, "goto "+path, func(ctx context.Context) (protocol.PageInfo, error) {
		return s.Navigate(ctx, nobody, s.tab, s.url+path, protocol.WaitLoad, nil)
	})
}

func (s *stage) answer(t *testing.T, accept bool) protocol.DialogInfo {
	t.Helper()
	d, err := timed(t, "dialog", func(ctx context.Context) (protocol.DialogInfo, error) {
		return s.Dialog(ctx, nobody, s.tab, accept, nil)
	})
	if err != nil {
		t.Errorf("answering: %v", err)
	}
	return d
}

// A page that opens a dialog while it loads is there, and the command says so at once.
func TestDialogsWhileAPageLoads(t *testing.T) {
	scripts := map[string]string{
		"/alert":   `<script>alert('one')</script>`,
		"/confirm": `<p>text<script>confirm('one')</script>`,
		"/prompt":  `<script>addEventListener('DOMContentLoaded', () => prompt('one', 'x'))</script>`,
		"/frame":   `<iframe src="/alert"></iframe>`,
		"/written": `<iframe srcdoc="<script>parent.confirm('one')</script>"></iframe>`,
		"/image":   `<img src="/none" onerror="alert('one')">`,
		"/ok":      "ok",
	}
	s := &stage{fixture: headless(t), url: pages(t, scripts)}
	s.tab = s.first(t)
	kinds := map[string]string{"/alert": "alert", "/confirm": "confirm", "/prompt": "prompt", "/frame": "alert", "/written": "confirm", "/image": "alert"}
	for path, kind := range kinds {
		t.Run(path, func(t *testing.T) {
			is := func(what string, info protocol.PageInfo, err error) {
				t.Helper()
				if err != nil || info.Dialog == nil || info.Dialog.Type != kind || info.Dialog.Message != "one" || info.URL != s.url+path {
					t.Errorf("%s: %+v, %+v, %v", what, info, info.Dialog, err)
				}
			}
			info, err := s.goTo(t, path)
			is("goto", info, err)
			s.answer(t, true)
			info, err = timed(t, "reload", func(ctx context.Context) (protocol.PageInfo, error) {
				return s.Reload(ctx, nobody, s.tab, protocol.WaitLoad, nil)
			})
			is("reload", info, err)
			if info, err := s.goTo(t, "/ok"); err != nil || info.Dialog != nil {
				t.Errorf("goto while the dialog is open: %+v, %v", info, err)
			}
			info, err = timed(t, "back", func(ctx context.Context) (protocol.PageInfo, error) {
				return s.Back(ctx, nobody, s.tab, protocol.WaitLoad, nil)
			})
			if info.URL != s.url+path || err != nil {
				t.Errorf("back: %+v, %v", info, err)
			}
			if info.Dialog != nil {
				s.answer(t, false)
			}
			id, err := s.NewTab(deadline(t), "", false)
			if err != nil {
				t.Fatal(err)
			}
			info, err = timed(t, "newtab", func(ctx context.Context) (protocol.PageInfo, error) {
				return s.Navigate(ctx, nobody, id, s.url+path, protocol.WaitLoad, nil)
			})
			is("newtab", info, err)
			if _, err := timed(t, "closetab", func(ctx context.Context) (any, error) { return nil, s.CloseTab(ctx, id) }); err != nil {
				t.Errorf("closetab: %v", err)
			}
			s.open(t, "/ok")
		})
	}
}

// TestDialogsMeetActions: an action that a dialog meets answers at once. The rest of its
// input reaches the page when the dialog is answered. One that could not begin says so,
// and did nothing.
func TestDialogsMeetActions(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := &stage{fixture: share(t, windowless), url: pages(t, map[string]string{"/": `
				<input id=field onfocus="this.onfocus=null;alert('m')"><input id=input oninput="if (this.value=='ab') alert('m')">
				<input id=change onchange="alert('m')" value=x><input id=blur onblur="this.onblur=null;alert('m')"><input id=other>
				<input id=key onkeydown="this.onkeydown=null;alert('m')"><input id=on type=checkbox onchange="alert('m')">
				<button id=over onmouseover="this.onmouseover=null;alert('m')" onclick="window.name+='!'">over</button>
				<button id=down onmousedown="confirm('m')" onclick="window.name+='!'">down</button>
				<input id=date type=date onchange="alert('m')"><input id=datefocus type=date onfocus="this.onfocus=null;alert('m')">
				<select id=list onchange="confirm('m')"><option>A<option>B<option>C</select>
				<select id=listfocus onfocus="this.onfocus=null;alert('m')"><option>A<option>B<option>C</select>
				<select id=many multiple onchange="confirm('m')"><option>A<option>B<option>C</select>
				<div id=area style="width:99px;height:50px;overflow:auto" onscroll="this.onscroll=null;alert('m')"><div style="height:999px">x</div></div>
				<script>window.name = ''</script>`})}
			s.tab = s.first(t)
			act := func(kind protocol.ActKind, target, text string) protocol.ActRequest {
				return protocol.ActRequest{Kind: kind, Target: target, Text: text, Values: []string{text}, On: true}
			}
			for _, c := range []struct {
				name  string
				first string // what has the focus before
				q     protocol.ActRequest
				begun bool
				after string // an expression, and its value when the dialog is answered
				want  string
			}{
				{"fill, onfocus", "", act(protocol.ActFill, "#field", "new"), false, "field.value", ""},
				{"fill, oninput", "", act(protocol.ActFill, "#input", "ab"), true, "input.value", "ab"},
				{"fill, onblur of another", "#blur", act(protocol.ActFill, "#other", "new"), false, "other.value", ""},
				{"type, oninput", "", act(protocol.ActType, "#input", "abcd"), true, "input.value", "abcd"},
				{"type, onfocus", "", act(protocol.ActType, "#field", "abcd"), false, "field.value", ""},
				{"type, onkeydown", "", act(protocol.ActType, "#key", "abc"), true, "key.value", "abc"},
				{"press, onkeydown", "#key", act(protocol.ActPress, "", "a"), true, "key.value", "a"},
				{"press, onfocus", "", protocol.ActRequest{Kind: protocol.ActPress, Target: "#field", Text: "a"}, false, "field.value", ""},
				{"press Tab, onblur", "#blur", act(protocol.ActPress, "", "Tab"), true, "document.activeElement.id", "other"},
				{"focus, onfocus", "", act(protocol.ActFocus, "#field", ""), true, "document.activeElement.id", "field"},
				{"focus, onblur of another", "#blur", act(protocol.ActFocus, "#other", ""), true, "document.activeElement.id", "other"},
				{"check, onchange", "", act(protocol.ActCheck, "#on", ""), true, "on.checked", "true"},
				{"hover, onmouseover", "", act(protocol.ActHover, "#over", ""), true, "window.name", ""},
				{"click, onmouseover", "", act(protocol.ActClick, "#over", ""), true, "window.name", "!"},
				{"click, onmousedown", "", act(protocol.ActClick, "#down", ""), true, "window.name", "!"},
				{"click, onblur of another", "#blur", act(protocol.ActClick, "#other", ""), true, "document.activeElement.id", "other"},
				{"fill a date, onchange", "", act(protocol.ActFill, "#date", "2026-03-04"), true, "date.value", "2026-03-04"},
				{"fill a date, onfocus", "", act(protocol.ActFill, "#datefocus", "2026-03-04"), false, "datefocus.value", ""},
				{"select, onchange", "", act(protocol.ActSelect, "#list", "C"), true, "list.value", "C"},
				{"select, onfocus", "", act(protocol.ActSelect, "#listfocus", "C"), false, "listfocus.value", "A"},
				{"select one of many, onchange", "", act(protocol.ActSelect, "#many", "C"), true, "many.value", "C"},
				{"scroll, onscroll", "", protocol.ActRequest{Kind: protocol.ActScroll, Target: "#area", DY: 100}, true, "area.scrollTop", "100"},
			} {
				s.open(t, "/")
				if c.first != "" {
					s.act(t, act(protocol.ActFocus, c.first, ""))
				}
				e, err := timed(t, c.name, func(ctx context.Context) (protocol.Effect, error) {
					return s.Act(ctx, nobody, s.tab, c.q, nil)
				})
				switch {
				case c.begun && (err != nil || e.Dialog == nil || e.Dialog.Message != "m"):
					t.Errorf("%s: %+v, %v", c.name, e, err)
				case !c.begun && (code(err) != protocol.CodeDialog || !strings.Contains(err.Error(), ": m)") || len(protocol.AsError(err).Next) == 0):
					t.Errorf("%s: %+v, %v", c.name, e, err)
				}
				if d := s.answer(t, true); d.Message != "m" || d.Next != nil {
					t.Errorf("%s: the dialog was %+v", c.name, d)
				}
				got := s.eval(t, c.after)
				for until := time.Now().Add(protocol.CommandTimeout); got != c.want && time.Now().Before(until); { // the rest of the input is on its way
					got = s.eval(t, c.after)
				}
				if got != c.want {
					t.Errorf("%s: %s is %q, want %q", c.name, c.after, got, c.want)
				}
			}
		})
	}
}

// TestDialogsMeetTheOthers: what reads a page, or runs scripts in it, answers at once
// with the dialog that it opens or meets. What needs no page works.
func TestDialogsMeetTheOthers(t *testing.T) {
	s := stageOf(t, `<button onclick="confirm('sure?')">Ask</button><p>text`)
	type call func(ctx context.Context) error
	opens := map[string]call{
		"eval": func(ctx context.Context) error {
			_, err := s.Evaluate(ctx, nobody, s.tab, "confirm('sure?')")
			return err
		},
		"eval of a promise": func(ctx context.Context) error {
			_, err := s.Evaluate(ctx, nobody, s.tab, "new Promise((r) => setTimeout(() => r(confirm('sure?'))))")
			return err
		},
		"wait function": func(ctx context.Context) error {
			_, err := s.Wait(ctx, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForFunction, Value: "confirm('sure?') && false"})
			return err
		},
		"the console": func(ctx context.Context) error {
			_, err := s.RunInPage(ctx, nobody, s.tab, "confirm('sure?')")
			return err
		},
		"cdp": func(ctx context.Context) error {
			_, _, err := s.RawCDP(ctx, nobody, s.tab, "Runtime.evaluate", []byte(`{"expression":"confirm('sure?')"}`))
			return err
		},
	}
	meets := map[string]call{
		"snapshot": func(ctx context.Context) error {
			_, err := s.Snapshot(ctx, nobody, s.tab, protocol.SnapshotRequest{}, nil)
			return err
		},
		"text": func(ctx context.Context) error { _, err := s.Text(ctx, nobody, s.tab, 1000); return err },
		"screenshot": func(ctx context.Context) error {
			_, err := s.Screenshot(ctx, nobody, s.tab, protocol.ScreenshotRequest{Format: "png"})
			return err
		},
		"storage": func(ctx context.Context) error { _, err := s.Storage(ctx, nobody, s.tab); return err },
		"wait text": func(ctx context.Context) error {
			_, err := s.Wait(ctx, nobody, s.tab, protocol.WaitRequest{Kind: protocol.WaitForText, Value: "Saved"})
			return err
		},
		"eval of a number": func(ctx context.Context) error { _, err := s.Evaluate(ctx, nobody, s.tab, "1"); return err },
		"click": func(ctx context.Context) error {
			_, err := s.Act(ctx, nobody, s.tab, click("text=Ask"), nil)
			return err
		},
	}
	check := func(what string, f call) {
		t.Helper()
		_, err := timed(t, what, func(ctx context.Context) (any, error) { return nil, f(ctx) })
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeDialog || !strings.Contains(e.Message, "confirm: sure?") || len(e.Next) != 2 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, f := range opens {
		s.open(t, "/")
		check(what, f)
		s.answer(t, false)
	}
	s.open(t, "/")
	s.act(t, click("text=Ask"))
	for what, f := range meets {
		check(what, f)
	}
	info, err := timed(t, "url", func(ctx context.Context) (protocol.PageInfo, error) { return s.Page(ctx, nobody, s.tab) })
	if err != nil || info.URL != s.url+"/" || info.Title != "Stage" {
		t.Errorf("url: %+v, %v", info, err)
	}
	// A policy lets everything pass.
	if _, err := s.Dialogs(deadline(t), s.tab, "accept", ""); err != nil {
		t.Fatal(err)
	}
	if v, err := timed(t, "eval", func(ctx context.Context) (protocol.Evaluated, error) {
		return s.Evaluate(ctx, nobody, s.tab, "confirm('sure?')")
	}); err != nil || string(v.Value) != "true" {
		t.Errorf("with a policy: %+v, %v", v, err)
	}
	e, err := timed(t, "click", func(ctx context.Context) (protocol.Effect, error) {
		return s.Act(ctx, nobody, s.tab, click("text=Ask"), nil)
	})
	if err != nil || e.Dialog == nil || e.Dialog.Answered != "accept" {
		t.Errorf("a click with a policy: %+v, %v", e, err)
	}
}

// TestDialogsAreListed: also one that opened before anybody asked, and one after which
// another one comes.
func TestDialogsAreListed(t *testing.T) {
	s := stageOf(t, `<button onclick="alert('one'); alert('two'); name = 'done'">Two</button>
		<button onclick="document.title = prompt('name?', 'Ann')">Name</button>`)
	s.act(t, click("text=Two"))
	log, err := s.Dialogs(deadline(t), s.tab, "", "")
	if err != nil || len(log.Entries) != 1 || !log.Entries[0].Open || log.Entries[0].Message != "one" || log.Entries[0].URL != s.url+"/" {
		t.Errorf("%+v, %v", log, err)
	}
	if d := s.answer(t, true); d.Message != "one" || d.Next == nil || d.Next.Message != "two" {
		t.Errorf("the first of two: %+v", d)
	}
	if d := s.answer(t, true); d.Message != "two" || d.Next != nil {
		t.Errorf("the second of two: %+v", d)
	}
	log, err = s.Dialogs(deadline(t), s.tab, "", "")
	if err != nil || len(log.Entries) != 2 || log.Entries[0].Open || log.Entries[1].Open {
		t.Errorf("%+v, %v", log, err)
	}
	id, err := s.NewTab(deadline(t), "", false)
	if err != nil {
		t.Fatal(err)
	}
	s.tab = id
	s.open(t, "/")
	s.act(t, click("text=Name"))
	// The policy also answers the dialog that was open before the watch began.
	log, err = s.Dialogs(deadline(t), s.tab, "accept", "")
	if err != nil || len(log.Entries) != 1 || s.eval(t, "document.title") != "Ann" {
		t.Errorf("%+v, %v", log, err)
	}
}

// TestDialogsThatKeepComing: a page that opens one dialog after the other is left all the
// same, and closed.
func TestDialogsThatKeepComing(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := &stage{fixture: share(t, windowless), url: pages(t, map[string]string{
				"/frames": `<script>requestAnimationFrame(function again() { confirm('again'); requestAnimationFrame(again); })</script>`,
				"/timer":  `<script>setInterval(() => alert('again'), 7)</script>`,
				"/loop":   `<script>setTimeout(() => { for (let i = 0; i < 500; i++) prompt('again') })</script>`,
				"/ok":     "ok",
			})}
			s.tab = s.first(t)
			for range 2 {
				for _, path := range []string{"/frames", "/timer", "/loop"} {
					if _, err := s.goTo(t, path); err != nil {
						t.Errorf("%s: %v", path, err)
					}
					if info, err := timed(t, "reload", func(ctx context.Context) (protocol.PageInfo, error) {
						return s.Reload(ctx, nobody, s.tab, protocol.WaitLoad, nil)
					}); err != nil || info.URL != s.url+path {
						t.Errorf("reload of %s: %+v, %v", path, info, err)
					}
					if info, err := s.goTo(t, "/ok"); err != nil || info.URL != s.url+"/ok" || info.Dialog != nil {
						t.Errorf("from %s: %+v, %v", path, info, err)
					}
					if got := s.eval(t, "document.body.textContent.trim()"); got != "ok" {
						t.Errorf("after %s: %q", path, got)
					}
				}
			}
			for _, path := range []string{"/frames", "/timer", "/loop"} {
				id, err := s.NewTab(deadline(t), "", false)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Navigate(deadline(t), nobody, id, s.url+path, protocol.WaitLoad, nil); err != nil {
					t.Error(err)
				}
				if _, err := timed(t, "closetab", func(ctx context.Context) (any, error) { return nil, s.CloseTab(ctx, id) }); err != nil {
					t.Errorf("closing %s: %v", path, err)
				}
			}
		})
	}
}

// armed serves pages for questions whether to leave.
func armed(t *testing.T, windowless bool) *stage {
	t.Helper()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/armed":
			fmt.Fprint(w, `<title>Armed</title><button id=arm onclick="window.addEventListener('beforeunload', (e) => e.preventDefault())">Arm</button>
				<a id=away href="/slow">away</a><form action="/slow" onsubmit="return confirm('send?')"><button id=send>send</button></form>`)
		case "/slow":
			time.Sleep(200 * time.Millisecond) // a server's own time
			fallthrough
		default:
			fmt.Fprintf(w, "<title>%s</title>there", r.URL.Path) //nolint:gosec // a page of the test's own site
		}
	}))
	s := &stage{fixture: share(t, windowless), url: server.URL}
	s.tab = s.first(t)
	return s
}

// TestQuestionsWhetherToLeave: a command that leaves a page decides the question,
// also one that is open already.
func TestQuestionsWhetherToLeave(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := armed(t, windowless)
			for _, asked := range []bool{false, true} {
				for what, leave := range map[string]func(ctx context.Context) (protocol.PageInfo, error){
					"/next": func(ctx context.Context) (protocol.PageInfo, error) {
						return s.Navigate(ctx, nobody, s.tab, s.url+"/next", protocol.WaitLoad, nil)
					},
					"/armed": func(ctx context.Context) (protocol.PageInfo, error) {
						return s.Reload(ctx, nobody, s.tab, protocol.WaitLoad, nil)
					},
					"/before": func(ctx context.Context) (protocol.PageInfo, error) {
						return s.Back(ctx, nobody, s.tab, protocol.WaitLoad, nil)
					},
				} {
					s.open(t, "/before")
					s.open(t, "/armed")
					s.act(t, click("#arm"))
					if asked {
						if e := s.act(t, click("#away")); e.Dialog == nil || e.Dialog.Type != "beforeunload" {
							t.Fatalf("no question: %+v", e)
						}
					}
					if info, err := timed(t, what, leave); err != nil || info.URL != s.url+what {
						t.Errorf("to %s, asked %v: %+v, %v", what, asked, info, err)
					}
				}
			}
		})
	}
}

// TestGotoAfterAnAnswer: what the answer to a dialog sets in motion does not replace the
// next goto.
func TestGotoAfterAnAnswer(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := armed(t, windowless)
			for i := range 12 {
				s.open(t, "/armed")
				button := "#send"
				if i%2 == 0 {
					s.act(t, click("#arm"))
					button = "#away"
				}
				if e := s.act(t, click(button)); e.Dialog == nil {
					t.Fatalf("no dialog: %+v", e)
				}
				if i%3 == 0 { // somebody answers it in the browser
					if err := s.page(t).Post(deadline(t), "Page.handleJavaScriptDialog", map[string]any{"accept": true}); err != nil {
						t.Fatal(err)
					}
				} else {
					s.answer(t, true)
				}
				if info, err := s.goTo(t, "/next"); err != nil || info.URL != s.url+"/next" {
					t.Errorf("goto %d after %s: %+v, %v", i, button, info, err)
				}
			}
		})
	}
}

// TestCloseUnderADialog: a tab closes whatever it asks, and the browser lives on.
func TestCloseUnderADialog(t *testing.T) {
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			s := armed(t, windowless)
			for _, button := range []string{"#arm", "#away", "#send"} {
				id, err := s.NewTab(deadline(t), "", false)
				if err != nil {
					t.Fatal(err)
				}
				s.tab = id
				s.open(t, "/armed")
				if button != "#send" {
					s.act(t, click("#arm"))
				}
				s.act(t, click(button))
				if _, err := timed(t, "closetab", func(ctx context.Context) (any, error) { return nil, s.CloseTab(ctx, id) }); err != nil {
					t.Errorf("closetab after %s: %v", button, err)
				}
				s.tab = s.first(t)
				s.open(t, "/next")
			}
		})
	}
}
