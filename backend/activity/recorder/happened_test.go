package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// lines returns what was recorded, one line for each entry.
func lines(t *testing.T, r *Recorder) []string {
	t.Helper()
	page, err := r.History(auth.Grant{Kind: auth.KindPanel}, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range page.Entries {
		line := fmt.Sprintf("%s %s %s: %s", e.What(), e.Actor.Name, e.Tab, e.Summary)
		if e.Phase != "" {
			line += fmt.Sprintf(" (%s of %d)", e.Phase, e.Parent)
		}
		if e.Code != "" {
			line += " " + string(e.Code)
		}
		out = append(out, line)
	}
	return out
}

func expect(t *testing.T, r *Recorder, want ...string) {
	t.Helper()
	if got := lines(t, r); !slices.Equal(got, want) {
		t.Errorf("recorded\n%q, want\n%q", got, want)
	}
}

// The tabs that a browser restores are no navigations. A later address belongs
// to the actor who acts on the tab or did so a moment ago; without one, to the user.
func TestNavigations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := recording(t)
		tabs := func(url string, crashed bool) {
			r.Tabs([]protocol.Tab{{ID: "t1", URL: url, Crashed: crashed}, {ID: "t2", URL: "about:blank"}})
		}
		tabs("https://restored.example/", false)
		tabs("https://user.example/?token=hunter2", false)
		claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "a", Name: "claude"}
		r.Do(claude, protocol.CommandRequest{Command: "tabs"}, nil, func(watch command.Watch) protocol.CommandReply {
			watch.On("t1")
			tabs("https://during.example/", false)
			return protocol.CommandReply{OK: true, Tab: "t1"}
		})
		tabs("https://after.example/", false)
		time.Sleep(2 * lingers)
		tabs("https://later.example/", false)
		tabs("https://later.example/", true)
		tabs("https://later.example/", true)
		expect(t, r,
			"navigation you t1: https://user.example/?token=•••",
			"navigation claude t1: https://during.example/",
			"command claude t1: ",
			"navigation claude t1: https://after.example/",
			"navigation you t1: https://later.example/",
			"error you t1: The page crashed: https://later.example/ crashed",
		)
		r.Started()
		tabs("https://again.example/", false)
		if n := len(lines(t, r)); n != 6 {
			t.Errorf("%d entries after a start", n)
		}
	})
}

// What happens in a tab that a page opened belongs at first to the actor who acts on that page.
func TestAnOpenedTabIsItsOpeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := recording(t)
		tabs := func(opened ...protocol.Tab) {
			r.Tabs(append([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}}, opened...))
		}
		tabs()
		over := r.Acting(protocol.Actor{Kind: protocol.ActorTerminal, ID: "s", Name: "script"}, "t1")
		for _, url := range []string{"", "about:blank", "https://opened.example/"} {
			tabs(protocol.Tab{ID: "t2", URL: url, Opener: "t1"}, protocol.Tab{ID: "t3", Opener: "t1"})
			time.Sleep(2 * lingers) // a page may be slow
		}
		tabs(protocol.Tab{ID: "t2", URL: "https://opened.example/", Opener: "t1"}, protocol.Tab{ID: "t3", Opener: "t1"})
		r.Download(protocol.Download{ID: "d", Tab: "t3", State: "running", Name: "report.txt"})
		over()
		time.Sleep(2 * lingers)
		tabs(protocol.Tab{ID: "t2", URL: "https://next.example/", Opener: "t1"}, protocol.Tab{ID: "t4", URL: "https://user.example/", Opener: "t1"})
		expect(t, r,
			"navigation script t2: https://opened.example/",
			"download script t3: report.txt",
			"navigation you t2: https://next.example/",
			"navigation you t4: https://user.example/",
		)
	})
}

// A page that changes its address all the time does not fill the record.
func TestManyNavigations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := recording(t)
		r.Tabs([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}})
		for i := range 5 * navigations {
			r.Tabs([]protocol.Tab{{ID: "t1", URL: fmt.Sprintf("https://a.example/#%d", i)}})
		}
		if n := len(lines(t, r)); n != navigations {
			t.Errorf("%d navigations are recorded", n)
		}
		time.Sleep(2 * navigationWindow)
		r.Tabs([]protocol.Tab{{ID: "t1", URL: "https://b.example/"}})
		if n := len(lines(t, r)); n != navigations+1 {
			t.Errorf("%d navigations after a pause", n)
		}
	})
}

// A question of a command and one of an agent's own tool, with their answers.
func TestQuestions(t *testing.T) {
	r, _ := recording(t)
	chat := protocol.Actor{Kind: protocol.ActorChat, ID: "c1", Name: "claude"}
	tool := protocol.Approval{ID: "q1", Actor: chat, Command: "Bash", Tab: "t1", Conversation: "c1", Since: time.Now(), Words: protocol.ApprovalWords{Sentence: "Claude wants to use the tool “Bash”"}}
	r.Question(tool, nil)
	r.Question(tool, &policy.Over{Verdict: policy.Verdict{Answer: protocol.AnswerDeny, Place: "tray"}})
	r.Do(chat, protocol.CommandRequest{Command: "eval"}, nil, func(watch command.Watch) protocol.CommandReply {
		asked := protocol.Approval{ID: "q2", Actor: chat, Command: "eval", Kind: protocol.ActionEval, Tab: "t1", Since: time.Now(), Words: protocol.ApprovalWords{Sentence: "Claude wants to run JavaScript"}}
		watch.Asking(asked)
		r.Question(asked, nil)
		r.Question(asked, &policy.Over{Err: protocol.NewError(protocol.CodeTimeout, "nobody answered", "")})
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeTimeout, "nobody answered", "")}
	})
	for _, answer := range []protocol.ApprovalAnswer{protocol.AnswerOnce, protocol.AnswerAlways, protocol.AnswerTask} {
		r.Question(tool, &policy.Over{Verdict: policy.Verdict{Answer: answer}})
	}
	got := lines(t, r)
	want := []string{
		"question claude t1: Claude wants to use the tool “Bash” (waiting of 0)",
		"question you t1: Denied by you (answered of 1) denied",
		"question claude t1: Claude wants to run JavaScript (waiting of 0)",
		"question claude t1: nobody answered (answered of 3) timeout",
		"command claude : nobody answered timeout",
		"question you t1: Allowed once (answered of 0)",
		"question you t1: Allowed always on this site (answered of 0)",
		"question you t1: Allowed for this task (answered of 0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTasksAndDownloads(t *testing.T) {
	r, _ := recording(t)
	head := protocol.Task{ID: "5d", Title: "Fill", Tab: "t1", State: protocol.TaskRunning}
	change := func(state protocol.TaskState, summary string, err *protocol.Error) {
		head.State, head.Summary, head.Error = state, summary, err
		r.Task(head)
	}
	change(protocol.TaskDone, "of an earlier run", nil)
	change(protocol.TaskRunning, "", nil)
	r.TaskStep(head, 1, "Open the form")
	r.TaskStep(head, 2, "")
	change(protocol.TaskRunning, "", nil)
	change(protocol.TaskFailed, "", protocol.NewError(protocol.CodeNoKey, "The model has no key", ""))
	file := protocol.Download{ID: "d1", Tab: "t1", Name: "a.pdf", URL: "https://u:hunter2@a.example/", State: "running", At: time.Now()}
	r.Download(file)
	r.Download(file)
	file.State, file.Path, file.Received = "done", "/downloads/a.pdf", 12
	r.Download(file)
	r.Download(file)
	file.ID, file.State = "d2", "canceled"
	r.Download(file)
	r.Failed(*protocol.NewError(protocol.CodeCrashed, "The browser crashed", ""))
	expect(t, r,
		"step task “Fill” t1: Fill",
		"step task “Fill” t1: Open the form",
		"step task “Fill” t1: Step 2",
		"step task “Fill” t1: The model has no key no_key",
		"download you t1: a.pdf",
		"download you t1: a.pdf",
		"download you t1: a.pdf refused",
		"error browser : The browser crashed crashed",
	)
	for i := range 2 * maxSaving {
		r.Download(protocol.Download{ID: fmt.Sprint("x", i), State: "done"})
	}
	if n := len(r.beside.saving); n > maxSaving+1 {
		t.Errorf("%d downloads are known", n)
	}
}

// Without a folder nothing is recorded, and nothing fails.
func TestWithoutAFolder(t *testing.T) {
	r, _ := recording(t)
	r.cfg.Dir = filepath.Join(os.DevNull, "activity")
	r.Failed(*protocol.NewError(protocol.CodeCrashed, "The browser crashed", ""))
	if _, err := r.Search(t.Context(), auth.Grant{}, protocol.ActivityQuery{}); err == nil {
		t.Error("no error")
	}
	if _, _, err := r.Parts(t.Context(), 0); err == nil {
		t.Error("no error")
	}
}
