package recorder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/activity"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

const (
	// lingers is for how long after the end of a command a navigation of its tab
	// still counts as the command's.
	lingers = time.Second
	// Of a tab that changes its address all the time, at most navigations are
	// recorded in each navigationWindow, so that it does not displace what matters.
	navigations      = 30
	navigationWindow = 10 * time.Second
)

// happened is what the Recorder knows of the session beside commands. The
// Recorder's mu guards it.
type happened struct {
	// acting has, for each tab, who acts there, or acted last.
	acting map[protocol.TabID]acting
	// shown has the last address of each tab; nil until the first report of a run.
	shown map[protocol.TabID]shownTab
	// questions has the entries of the questions that wait, by the question's id.
	questions map[string]uint64
	// tasks has the last recorded state of the tasks that have not ended.
	tasks map[protocol.TaskID]protocol.TaskState
	// saving has the state of the downloads that have not ended.
	saving map[string]string
}

// acting is the use of a tab by an actor.
type acting struct {
	actor protocol.Actor
	count int       // commands that run
	until time.Time // for how long navigations still are the actor's, when none runs
}

// shownTab is a tab as it was last recorded.
type shownTab struct {
	url     string
	crashed bool
	began   time.Time // of the window in which navigations are counted
	count   int
}

func newHappened() happened {
	return happened{
		acting: map[protocol.TabID]acting{}, questions: map[string]uint64{},
		tasks: map[protocol.TaskID]protocol.TaskState{}, saving: map[string]string{},
	}
}

// user is the actor of what no program did.
func user() protocol.Actor { return protocol.Actor{Kind: protocol.ActorUser, Name: "you"} }

// on records that a command of the actor acts on a tab, until the returned
// function is called.
func (r *Recorder) on(actor protocol.Actor, tab protocol.TabID) (over func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beside.acting[tab] = acting{actor: actor, count: r.beside.acting[tab].count + 1}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		a := r.beside.acting[tab]
		a.count--
		a.until = time.Now().Add(lingers)
		r.beside.acting[tab] = a
	}
}

// actorOf returns who caused what happens in a tab now. The caller holds mu.
func (r *Recorder) actorOf(tab protocol.TabID) protocol.Actor {
	a, ok := r.beside.acting[tab]
	if ok && (a.count > 0 || time.Now().Before(a.until)) {
		return a.actor
	}
	return user()
}

// openedBy makes what happens in a tab before and with its first page that of the actor who
// acts on the tab that opened it. The caller holds mu.
func (r *Recorder) openedBy(opener, tab protocol.TabID) {
	if opener == "" || r.beside.acting[tab].count > 0 || r.actorOf(opener) == user() {
		return
	}
	r.beside.acting[tab] = acting{actor: r.actorOf(opener), until: time.Now().Add(lingers)}
}

// happens records an entry that is not a command, and returns its index; 0 when
// there is no log.
func (r *Recorder) happens(kind protocol.ActivityKind, e protocol.ActivityEntry) uint64 {
	log, err := r.activity()
	if err != nil {
		r.log.Warn("activity cannot be recorded", "error", err)
		return 0
	}
	e.Kind, e.Session, e.Command = kind, r.cfg.Session, cmp.Or(e.Command, string(kind))
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	return r.recordedAs(log.Record(activity.Plain(e))).Index
}

// recordedAs passes an entry on that was recorded.
func (r *Recorder) recordedAs(e protocol.ActivityEntry) protocol.ActivityEntry {
	if r.cfg.Shots != nil {
		r.cfg.Shots.Recorded(e)
	}
	return e
}

// Started forgets the tabs and downloads of the browser that ran before: the
// tabs of the first report were restored, nobody navigated there.
func (r *Recorder) Started() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beside.shown, r.beside.saving = nil, map[string]string{}
	clear(r.beside.acting)
}

// Tabs records the navigations and crashes since the last report of the tabs.
func (r *Recorder) Tabs(tabs []protocol.Tab) {
	var news []protocol.ActivityEntry
	var kinds []protocol.ActivityKind
	now := time.Now()
	r.mu.Lock()
	first := r.beside.shown == nil
	shown := make(map[protocol.TabID]shownTab, len(tabs))
	for _, tab := range tabs {
		is := r.beside.shown[tab.ID]
		if blank(is.url) && !first {
			r.openedBy(tab.Opener, tab.ID)
		}
		if tab.URL != is.url && !first && !blank(tab.URL) {
			if now.Sub(is.began) > navigationWindow {
				is.began, is.count = now, 0
			}
			is.count++
			if is.count <= navigations {
				e := protocol.ActivityEntry{Actor: r.actorOf(tab.ID), Tab: tab.ID, OK: true, Summary: tab.URL}
				if is.count == navigations {
					e.Args = map[string]string{"note": fmt.Sprintf("further addresses of this tab within %s are not recorded", navigationWindow)}
				}
				news, kinds = append(news, e), append(kinds, protocol.ActivityNavigation)
			}
		}
		if tab.Crashed && !is.crashed {
			news = append(news, protocol.ActivityEntry{Actor: r.actorOf(tab.ID), Tab: tab.ID, Code: protocol.CodeCrashed, Summary: "The page crashed: " + tab.URL})
			kinds = append(kinds, protocol.ActivityError)
		}
		is.url, is.crashed = tab.URL, tab.Crashed
		shown[tab.ID] = is
	}
	r.beside.shown = shown
	for tab := range r.beside.acting {
		if _, open := shown[tab]; !open && r.beside.acting[tab].count == 0 {
			delete(r.beside.acting, tab)
		}
	}
	r.mu.Unlock()
	for i, e := range news {
		r.happens(kinds[i], e)
	}
}

// blank reports whether an address is that of a page without content.
func blank(url string) bool {
	return url == "" || strings.HasPrefix(url, "about:blank") || strings.HasPrefix(url, "chrome://newtab")
}

// Question records a question when it starts to wait, with over nil, and again when
// it has ended.
func (r *Recorder) Question(question protocol.Approval, over *policy.Over) {
	if over == nil {
		r.asked(question)
		return
	}
	r.answered(question, over.Answer, over.Place, over.Err)
}

// asked records a question to the user. One that a command asks is recorded
// already.
func (r *Recorder) asked(question protocol.Approval) {
	r.mu.Lock()
	_, known := r.beside.questions[question.ID]
	r.mu.Unlock()
	if known {
		return
	}
	index := r.happens(protocol.ActivityQuestion, protocol.ActivityEntry{
		Actor: question.Actor, Tab: question.Tab, Command: question.Command, Phase: protocol.ActivityWaiting, OK: true,
		Time: question.Since, Summary: question.Words.Sentence,
	})
	r.waits(question.ID, index)
}

// waits stores the entry of a question that waits.
func (r *Recorder) waits(id string, index uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.beside.questions) < 4*protocol.MaxApprovals {
		r.beside.questions[id] = index
	}
}

// answered records the answer to a question, and the place where it was given:
// "panel", "window", "tray". err is why nobody answered.
func (r *Recorder) answered(question protocol.Approval, answer protocol.ApprovalAnswer, place string, err error) {
	r.mu.Lock()
	parent := r.beside.questions[question.ID]
	delete(r.beside.questions, question.ID)
	r.mu.Unlock()
	e := protocol.ActivityEntry{
		Actor: user(), Tab: question.Tab, Command: question.Command, Phase: protocol.ActivityAnswered, Parent: parent,
		OK: err == nil && answer != protocol.AnswerDeny, DurationMS: float64(time.Since(question.Since).Milliseconds()),
	}
	switch {
	case err != nil:
		refusal := protocol.AsError(err)
		e.Actor, e.Code, e.Summary = question.Actor, refusal.Code, refusal.Message
	default:
		e.Args = map[string]string{"answer": string(answer)}
		if place != "" {
			e.Args["in"] = place
		}
		e.Summary = verdict(answer)
		if !e.OK {
			e.Code = protocol.CodeDenied
		}
	}
	r.happens(protocol.ActivityQuestion, e)
}

// verdict says what the user answered.
func verdict(answer protocol.ApprovalAnswer) string {
	switch answer {
	case protocol.AnswerOnce:
		return "Allowed once"
	case protocol.AnswerAlways:
		return "Allowed always on this site"
	case protocol.AnswerTask:
		return "Allowed for this task"
	case protocol.AnswerDeny:
		return "Denied by you"
	}
	return string(answer)
}

// taskActor is the actor of a task.
func taskActor(head protocol.Task) protocol.Actor {
	return protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: "task “" + head.Title + "”", Title: head.Title}
}

// Task records that the state of a task changed.
func (r *Recorder) Task(head protocol.Task) {
	r.mu.Lock()
	before, known := r.beside.tasks[head.ID]
	if head.State.Over() {
		delete(r.beside.tasks, head.ID)
	} else {
		r.beside.tasks[head.ID] = head.State
	}
	r.mu.Unlock()
	if before == head.State || (!known && (head.State.Over() || head.State == protocol.TaskIdle)) {
		return // nothing new, or a task of an earlier run
	}
	e := protocol.ActivityEntry{
		Actor: taskActor(head), Tab: head.Tab, Command: "task", OK: head.State != protocol.TaskFailed,
		Args: map[string]string{"state": string(head.State)}, Summary: cmp.Or(head.Summary, head.Title),
	}
	if head.Error != nil {
		e.Code, e.Summary = head.Error.Code, head.Error.Message
	}
	r.happens(protocol.ActivityStep, e)
}

// TaskStep records a step of a task: its number, from 1, and its purpose.
func (r *Recorder) TaskStep(head protocol.Task, step int, goal string) {
	r.happens(protocol.ActivityStep, protocol.ActivityEntry{
		Actor: taskActor(head), Tab: head.Tab, Command: "step", OK: true,
		Args: map[string]string{"step": strconv.Itoa(step)}, Summary: cmp.Or(goal, fmt.Sprintf("Step %d", step)),
	})
}

// Download records that a download began or ended. Its progress is not recorded.
func (r *Recorder) Download(d protocol.Download) {
	r.mu.Lock()
	before, known := r.beside.saving[d.ID]
	if known && before == d.State {
		r.mu.Unlock()
		return
	}
	if r.beside.saving[d.ID] = d.State; d.State != "running" {
		// It has ended; a later report of the same download is no news.
		if len(r.beside.saving) > maxSaving {
			r.beside.saving = map[string]string{d.ID: d.State}
		}
	}
	actor := r.actorOf(d.Tab)
	r.mu.Unlock()
	e := protocol.ActivityEntry{
		Actor: actor, Tab: d.Tab, OK: true, Args: map[string]string{"state": d.State, "url": d.URL}, Summary: d.Name,
	}
	if d.Path != "" {
		e.Args["path"] = d.Path
	}
	if d.Received > 0 {
		e.Args["bytes"] = strconv.FormatInt(d.Received, 10)
	}
	if d.State == "canceled" {
		e.OK, e.Code = false, protocol.CodeRefused
	}
	if d.State != "running" && !d.At.IsZero() {
		e.DurationMS = float64(time.Since(d.At).Milliseconds())
	}
	r.happens(protocol.ActivityDownload, e)
}

// maxSaving bounds the downloads whose last state is known.
const maxSaving = 1000

// Shared records what a program did at an address of `pilotfish share`, or was refused.
func (r *Recorder) Shared(actor protocol.Actor, tab protocol.TabID, what string, refused error) {
	e := protocol.ActivityEntry{Actor: actor, Tab: tab, Command: "share", OK: refused == nil, Summary: what}
	if refused == nil {
		e.Args = map[string]string{"did": what}
	}
	if refused != nil {
		e.Code = protocol.AsError(refused).Code
	}
	r.happens("", e)
}

// Acting records that an actor acts on a tab until the returned function is called: what the
// tab opens meanwhile is the actor's.
func (r *Recorder) Acting(actor protocol.Actor, tab protocol.TabID) (over func()) {
	return r.on(actor, tab)
}

// Failed records a failure that is not a command's.
func (r *Recorder) Failed(problem protocol.Error) {
	r.happens(protocol.ActivityError, protocol.ActivityEntry{Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "browser"}, Code: problem.Code, Summary: problem.Message})
}

// request makes the request that a question's entry shows.
func request(question protocol.Approval) protocol.CommandRequest {
	req := protocol.CommandRequest{Command: question.Command, Tab: question.Tab, Args: map[string]json.RawMessage{}}
	for _, a := range question.Args {
		if value, err := json.Marshal(a.Value); err == nil {
			req.Args[a.Name] = value
		}
	}
	return req
}
