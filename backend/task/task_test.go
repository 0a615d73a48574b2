package task

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

const id protocol.TaskID = "3f0c8a52-0000-4000-8000-000000000001"

func open(t *testing.T, dir string) (*Store, *[]protocol.Task) {
	t.Helper()
	var changes []protocol.Task
	news := hub.New[protocol.Task](1)
	news.Observe(func(task protocol.Task) { changes = append(changes, task) })
	s, err := Open(Config{Dir: filepath.Join(dir, "tasks"), Routines: filepath.Join(dir, "routines"), Changes: news, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, &changes
}

func head(state protocol.TaskState) *protocol.Task {
	return &protocol.Task{Title: "Fill the form", Goal: "fill the form", Tab: "t1", State: state, MaxStep: 40}
}

func write(t *testing.T, s *Store, viewer string, kind protocol.TaskEventKind, h *protocol.Task, data string) protocol.TaskWriteReply {
	t.Helper()
	reply, err := s.Write(protocol.TaskWriteRequest{Task: id, Viewer: viewer, Kind: kind, Head: h, Data: json.RawMessage(data)})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func code(err error) protocol.Code {
	if e := protocol.AsError(err); e != nil {
		return e.Code
	}
	return ""
}

func TestWhatIsWrittenIsThereAfterARestart(t *testing.T) {
	dir := t.TempDir()
	s, changes := open(t, dir)
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	for i := 1; i <= 3; i++ {
		h := head(protocol.TaskRunning)
		h.Steps = i
		reply := write(t, s, "a", protocol.TaskEventStep, h, fmt.Sprintf(`{"n":%d}`, i))
		if reply.Index != uint64(i) || reply.Head.Steps != i {
			t.Errorf("reply = %+v", reply)
		}
	}
	if len(*changes) != 4 {
		t.Errorf("%d changes were told", len(*changes))
	}
	// The process ends unexpectedly: nothing is closed.
	next, _ := open(t, dir)
	page, err := next.Read(id, 1, 100)
	if err != nil || len(page.Events) != 2 || string(page.Events[1].Data) != `{"n":3}` || page.Events[1].At.IsZero() {
		t.Fatalf("page = %+v, %v", page, err)
	}
	if h := page.Head; h.State != protocol.TaskInterrupted || h.Steps != 3 || !reflect.DeepEqual(h.Tabs, []protocol.TabID{"t1"}) {
		t.Errorf("head = %+v", h)
	}
	if got := next.Unfinished(); len(got) != 1 {
		t.Errorf("unfinished = %+v", got)
	}
}

// A failed task is shown until the user closes it; it stays in the history.
func TestAFailedTaskIsShownUntilItIsClosed(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	failed := head(protocol.TaskFailed)
	failed.Error = protocol.NewError(protocol.CodeInternal, "the button is gone", "look again")
	id := write(t, s, "p1", protocol.TaskEventHead, failed, "").Head.ID
	s.Close()
	again, changes := open(t, dir)
	if got := again.Shown(); len(got) != 1 || got[0].Error == nil || len(again.Unfinished()) != 0 {
		t.Fatalf("after a restart %+v is shown", got)
	}
	if _, err := again.Dismiss(id); err != nil {
		t.Fatal(err)
	}
	if got := again.Shown(); len(got) != 0 || len(*changes) != 1 || !(*changes)[0].Closed {
		t.Errorf("closed: %+v is shown, %+v was told", got, *changes)
	}
	if all, _ := again.Search("", 0); len(all) != 1 {
		t.Errorf("the history has %+v", all)
	}
	// It runs again.
	if got := write(t, again, "p1", protocol.TaskEventHead, head(protocol.TaskRunning), "").Head; got.Closed {
		t.Error("a task that runs is closed")
	}
	if _, err := again.Dismiss(id); code(err) != protocol.CodeBusy {
		t.Errorf("a task that runs was closed: %v", err)
	}
}

func TestOneViewRunsATask(t *testing.T) {
	s, changes := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	_, err := s.Write(protocol.TaskWriteRequest{Task: id, Viewer: "b", Kind: protocol.TaskEventStep, Data: json.RawMessage(`{}`)})
	if code(err) != protocol.CodeBusy {
		t.Errorf("a second view: %v", err)
	}
	if _, err := s.Holds(id, "b"); code(err) != protocol.CodeForbidden {
		t.Errorf("acting from the second view: %v", err)
	}
	if _, err := s.Holds(id, "a"); err != nil {
		t.Error(err)
	}
	if err := s.Delete(id); code(err) != protocol.CodeBusy {
		t.Errorf("deleting what runs: %v", err)
	}
	s.ViewerGone("a")
	if last := (*changes)[len(*changes)-1]; last.State != protocol.TaskInterrupted {
		t.Errorf("after its view: %s", last.State)
	}
	write(t, s, "b", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	if _, err := s.Holds(id, "b"); err != nil {
		t.Error(err)
	}
	write(t, s, "b", protocol.TaskEventHead, head(protocol.TaskDone), "")
	if _, err := s.Holds(id, "b"); err == nil {
		t.Error("a task that is over acts")
	}
	if err := s.Delete(id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head(id); code(err) != protocol.CodeUnknownTask {
		t.Errorf("a task that was deleted: %v", err)
	}
	if _, err := os.Stat(s.dir(id)); !os.IsNotExist(err) {
		t.Errorf("its files: %v", err)
	}
}

func TestBadWritesChangeNothing(t *testing.T) {
	s, _ := open(t, t.TempDir())
	for name, c := range map[string]struct {
		req  protocol.TaskWriteRequest
		want protocol.Code
	}{
		"an id that is a path": {protocol.TaskWriteRequest{Task: "../../x", Viewer: "a", Kind: protocol.TaskEventHead, Head: head("running")}, protocol.CodeBadArgument},
		"no viewer":            {protocol.TaskWriteRequest{Task: id, Kind: protocol.TaskEventHead, Head: head("running")}, protocol.CodeBadArgument},
		"no head":              {protocol.TaskWriteRequest{Task: id, Viewer: "a", Kind: protocol.TaskEventHead}, protocol.CodeBadArgument},
		"unknown kind":         {protocol.TaskWriteRequest{Task: id, Viewer: "a", Kind: "other"}, protocol.CodeBadArgument},
		"a step of no task":    {protocol.TaskWriteRequest{Task: id, Viewer: "a", Kind: protocol.TaskEventStep}, protocol.CodeUnknownTask},
		"too large":            {protocol.TaskWriteRequest{Task: id, Viewer: "a", Kind: protocol.TaskEventStep, Data: make([]byte, maxTaskEvent+1)}, protocol.CodeTooLarge},
	} {
		if _, err := s.Write(c.req); code(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _ := s.Search("", 0); len(got) != 0 {
		t.Errorf("tasks = %+v", got)
	}
}

func TestAProgramsTaskIsFollowed(t *testing.T) {
	s, _ := open(t, t.TempDir())
	asker := protocol.Actor{Kind: protocol.ActorTerminal, ID: "k", Name: "claude in t1"}
	ordered, err := s.Order(id, protocol.TaskRunRequest{Goal: strings.Repeat("long ", 30) + "\nsecond line", Tab: "t1"}, asker)
	if err != nil || ordered.State != protocol.TaskIdle || len([]rune(ordered.Title)) > 60 {
		t.Fatalf("%+v, %v", ordered, err)
	}
	if _, err := s.Order(id, protocol.TaskRunRequest{Goal: "again"}, asker); code(err) != protocol.CodeBusy {
		t.Errorf("the same twice: %v", err)
	}
	pages := make(chan protocol.TaskPage)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer close(pages)
		for page, err := range s.Follow(ctx, id, 0) {
			if err != nil {
				t.Error(err)
				return
			}
			pages <- page
		}
	}()
	if first := <-pages; first.Head.State != protocol.TaskIdle {
		t.Errorf("first = %+v", first.Head)
	}
	write(t, s, "a", protocol.TaskEventStep, head(protocol.TaskRunning), `{"n":1}`)
	step := <-pages
	if len(step.Events) != 1 || step.Head.Asker == nil || step.Head.State != protocol.TaskRunning {
		t.Errorf("step = %+v", step)
	}
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskDone), "")
	var last protocol.TaskPage
	for page := range pages {
		last = page
	}
	if last.Head.State != protocol.TaskDone {
		t.Errorf("the end = %+v", last.Head)
	}
}

func TestTabsAreTheUsersToGive(t *testing.T) {
	s, _ := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	got, err := s.UseTab(id, "t9", false)
	if err != nil || !reflect.DeepEqual(got.Tabs, []protocol.TabID{"t1", "t9"}) {
		t.Fatalf("%+v, %v", got.Tabs, err)
	}
	// The task's tabs as the panel writes them are ignored.
	h := head(protocol.TaskRunning)
	h.Tabs = []protocol.TabID{"t1", "t2", "t3"}
	if reply := write(t, s, "a", protocol.TaskEventHead, h, ""); len(reply.Head.Tabs) != 2 {
		t.Errorf("tabs = %v", reply.Head.Tabs)
	}
	if got, err = s.UseTab(id, "t9", true); err != nil || len(got.Tabs) != 1 {
		t.Errorf("%+v, %v", got.Tabs, err)
	}
}

func TestRoutines(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	saved := protocol.TaskRoutine{
		Name: "sign-in", Title: "Sign in", Goal: "sign in as ${user} at ${site}, then greet ${user}",
		Steps:    []string{`fill "role=edit name=\"User\"" "${user}"`, `fill "role=edit name=\"Password\"" "${password}"`},
		Defaults: map[string]string{"site": "example.com", "password": "hunter2", "stale": "x"}, Secrets: []string{"password"},
	}
	all, err := s.Routines().Save(saved)
	if err != nil || !reflect.DeepEqual(all[0].Params, []string{"user", "site", "password"}) {
		t.Fatalf("%+v, %v", all, err)
	}
	if want := map[string]string{"user": "", "site": "example.com", "password": ""}; !reflect.DeepEqual(all[0].Defaults, want) {
		t.Errorf("defaults = %v", all[0].Defaults)
	}
	next, _ := open(t, dir)
	goal, err := next.Routines().Fill("sign-in", map[string]string{"user": "ada ${site}"})
	if err != nil || goal != "sign in as ada ${site} at example.com, then greet ada ${site}" {
		t.Errorf("%q, %v", goal, err)
	}
	for name, values := range map[string]map[string]string{"missing": {"site": "a"}, "unknown": {"user": "a", "x": "c"}} {
		if _, err := next.Routines().Fill("sign-in", values); code(err) != protocol.CodeBadArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"nobody", "../sign-in", ""} {
		if _, err := next.Routines().Fill(name, nil); code(err) != protocol.CodeBadArgument {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := next.Routines().Delete(name); code(err) != protocol.CodeBadArgument {
			t.Errorf("%q: %v", name, err)
		}
	}
	if all, err = next.Routines().Delete("sign-in"); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, bad := range []protocol.TaskRoutine{{Name: " ", Goal: "x"}, {Name: "empty", Goal: " "}, {Name: "../x", Goal: "x"}} {
		if _, err := next.Routines().Save(bad); code(err) != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestADamagedTaskIsPutAside(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskDone), "")
	if err := os.WriteFile(s.headPath(id), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	next, _ := open(t, dir)
	if got, _ := next.Search("", 0); len(got) != 0 {
		t.Errorf("tasks = %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "tasks", string(id)+".bad")); err != nil {
		t.Error(err)
	}
}

func TestALateWriteOfAViewThatIsGoneTakesNothingBack(t *testing.T) {
	s, _ := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	s.ViewerGone("a")
	late := protocol.TaskWriteRequest{Task: id, Viewer: "a", Kind: protocol.TaskEventNotice, Head: head(protocol.TaskRunning), Data: json.RawMessage(`{}`)}
	if _, err := s.Write(late); code(err) != protocol.CodeNotRunning {
		t.Errorf("a late write: %v", err)
	}
	if now, err := s.Head(id); err != nil || now.State != protocol.TaskInterrupted {
		t.Errorf("the task is %q, %v", now.State, err)
	}
	write(t, s, "b", protocol.TaskEventHead, head(protocol.TaskRunning), "")
}

// A request whose reply was lost is sent again, also after other requests.
func TestTheSameWriteIsWrittenOnce(t *testing.T) {
	s, _ := open(t, t.TempDir())
	write(t, s, "a", protocol.TaskEventHead, head(protocol.TaskRunning), "")
	send := func(viewer string, seq uint64, kind protocol.TaskEventKind, h *protocol.Task) protocol.TaskWriteReply {
		t.Helper()
		reply, err := s.Write(protocol.TaskWriteRequest{Task: id, Viewer: viewer, Kind: kind, Seq: seq, Head: h, Data: json.RawMessage(`{"n":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	send("a", 5, protocol.TaskEventStep, head(protocol.TaskRunning))
	send("a", 6, protocol.TaskEventUser, head(protocol.TaskRunning))
	if reply := send("a", 5, protocol.TaskEventStep, head(protocol.TaskRunning)); reply.Index != 2 {
		t.Errorf("index = %d after a step that was written already, want that of what came after it", reply.Index)
	}
	// A write that was abandoned may still arrive when the task has ended.
	send("a", 7, protocol.TaskEventHead, head(protocol.TaskStopped))
	if reply := send("a", 5, protocol.TaskEventStep, head(protocol.TaskRunning)); reply.Head.State != protocol.TaskStopped {
		t.Errorf("a late write made it %s", reply.Head.State)
	}
	// A write that arrives late but was never written is not lost.
	send("b", 2, protocol.TaskEventHead, head(protocol.TaskRunning))
	send("b", 1, protocol.TaskEventStep, head(protocol.TaskRunning))
	page, err := s.Read(id, 0, 100)
	if err != nil || len(page.Events) != 3 {
		t.Errorf("events = %+v, %v", page.Events, err)
	}
}
