// Package runner carries out what schedules say, in the sessions: tasks by the same way
// as those of programs, commands as the user's, each run in a tab of its own. So site
// rules, questions and the activity apply as always.
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
	"pilotfish/backend/schedule"
)

// Tasks are the tasks of a session.
type Tasks interface {
	Run(ctx context.Context, grant auth.Grant, req protocol.TaskRunRequest) (protocol.Task, error)
	Stop(ctx context.Context, grant auth.Grant, id protocol.TaskID) (protocol.Task, error)
	Follow(ctx context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error)
	Routines() ([]protocol.TaskRoutine, error)
}

// Sessions are the sessions of the app.
type Sessions interface {
	// State returns the state of a session, or an error if there is none of that name.
	State(name protocol.SessionName) (protocol.SessionState, error)
	// Start returns when the session runs.
	Start(ctx context.Context, name protocol.SessionName) error
	Tasks(name protocol.SessionName) (Tasks, error)
	Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply
	// Find returns a command of the registry.
	Find(name string) (command.Spec, error)
}

// Runner runs schedules in sessions. With Notify it is a schedule.Runner.
type Runner struct{ sessions Sessions }

// New returns a Runner.
func New(sessions Sessions) *Runner { return &Runner{sessions} }

// filePlace stands for the file that appeared, in a task, in values of parameters and in
// commands.
const filePlace = "${file}"

// grant returns the rights of a schedule: those of the user at a shell, except for the
// commands that manage the app.
func grant(s protocol.Schedule, tab protocol.TabID) auth.Grant {
	return auth.Grant{
		Kind: auth.KindPanel, Session: s.Session, Tab: tab,
		Actor:  protocol.Actor{Kind: protocol.ActorShell, Name: "schedule “" + s.Name + "”"},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive},
	}
}

// Check returns an error when the session, the routine or a command does not exist.
func (r *Runner) Check(s protocol.Schedule) error {
	if _, err := r.sessions.State(s.Session); err != nil {
		return err
	}
	if _, err := r.requests(s, ""); err != nil {
		return err
	}
	if s.What.Routine == "" {
		return nil
	}
	_, err := r.routine(s)
	return err
}

// routine returns the routine of a schedule.
func (r *Runner) routine(s protocol.Schedule) (protocol.TaskRoutine, error) {
	tasks, err := r.sessions.Tasks(s.Session)
	if err != nil {
		return protocol.TaskRoutine{}, err
	}
	all, err := tasks.Routines()
	if err != nil {
		return protocol.TaskRoutine{}, err
	}
	at := slices.IndexFunc(all, func(one protocol.TaskRoutine) bool { return one.Name == s.What.Routine })
	if at < 0 {
		return protocol.TaskRoutine{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the session %s has no routine %.60q", s.Session, s.What.Routine), "save one in Task, or record one", protocol.Try("lists them", "task", "routines"))
	}
	for name := range s.What.Params {
		if !slices.Contains(all[at].Params, name) {
			return all[at], protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %s has no parameter %.60q", s.What.Routine, name), "it has: "+strings.Join(all[at].Params, ", "))
		}
	}
	for _, name := range all[at].Params {
		if _, has := all[at].Defaults[name]; !has && s.What.Params[name] == "" {
			return all[at], protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the routine %s needs a value for %.60q, and nobody is asked for it", s.What.Routine, name), fmt.Sprintf("give it with --param %s=…", name))
		}
	}
	return all[at], nil
}

// requests returns the commands of a schedule, with the file that appeared. The words of
// a line are found before that: so a file's name is always a part of one value.
func (r *Runner) requests(s protocol.Schedule, file string) ([]protocol.CommandRequest, error) {
	var all []protocol.CommandRequest
	for _, line := range s.What.Commands {
		req, err := command.ParseLine(line, r.sessions.Find)
		if err != nil {
			return nil, err
		}
		spec, err := r.sessions.Find(req.Command)
		if err != nil {
			return nil, err
		}
		if spec.Scope == protocol.ScopeAdmin {
			return nil, protocol.NewError(protocol.CodeForbidden, fmt.Sprintf("a schedule cannot run %s", req.Command), "run it yourself")
		}
		for name, raw := range req.Args {
			var value any
			if json.Unmarshal(raw, &value) == nil {
				if changed, err := json.Marshal(filled(value, file)); err == nil {
					req.Args[name] = changed
				}
			}
		}
		all = append(all, req)
	}
	return all, nil
}

// filled puts the file into a value of an argument.
func filled(value any, file string) any {
	switch v := value.(type) {
	case string:
		if file != "" {
			return strings.ReplaceAll(v, filePlace, file)
		}
	case []any:
		for i := range v {
			v[i] = filled(v[i], file)
		}
	}
	return value
}

// Ready returns when the session runs.
func (r *Runner) Ready(ctx context.Context, s protocol.Schedule) error {
	state, err := r.sessions.State(s.Session)
	if err != nil {
		return err
	}
	switch state {
	case protocol.SessionStopped, protocol.SessionStopping, protocol.SessionFailed, protocol.SessionBackground:
		if !s.StartSession {
			return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("the session %s is not running, and the schedule does not start it", s.Session), "")
		}
	case protocol.SessionStarting, protocol.SessionRunning, protocol.SessionRestarting:
	}
	if err := r.sessions.Start(ctx, s.Session); err != nil {
		return fmt.Errorf("the session %s did not start: %w", s.Session, err)
	}
	return nil
}

// Run carries out one run in a tab of its own. The tab is closed when the run succeeded;
// else it stays, so that the user can look.
func (r *Runner) Run(ctx context.Context, s protocol.Schedule, file string, begun func(protocol.TaskID)) (result schedule.Result, err error) {
	if !printable(file) {
		return result, protocol.NewError(protocol.CodeRefused, "the name of the file has characters that cannot be shown", "rename the file")
	}
	recorded := false
	if s.What.Routine != "" {
		routine, err := r.routine(s)
		if err != nil {
			return result, err
		}
		if recorded = routine.Goal == ""; recorded {
			s.What.Commands = []string{"run " + command.QuoteWord(routine.Name)}
			for name, value := range s.What.Params {
				s.What.Commands[0] += " " + command.QuoteWord(name+"="+value)
			}
		}
	}
	commands, err := r.requests(s, file)
	if err != nil {
		return result, err
	}
	tab, err := r.open(ctx, s, s.What.Start)
	if err != nil {
		return result, err
	}
	if len(commands) > 0 {
		result, err = r.commands(ctx, s, tab, commands)
	} else {
		result, err = r.task(ctx, s, tab, file, begun)
	}
	if err == nil {
		r.close(ctx, s, tab)
	}
	return result, err
}

// printable reports whether a path can be shown, and be written into a goal.
func printable(path string) bool {
	return utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsPrint(r) || unicode.In(r, unicode.Bidi_Control)
	})
}

// commands runs commands in order, until one fails.
func (r *Runner) commands(ctx context.Context, s protocol.Schedule, tab protocol.TabID, all []protocol.CommandRequest) (schedule.Result, error) {
	result := schedule.Result{}
	for _, req := range all {
		limited, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
		reply := r.sessions.Command(limited, grant(s, tab), req)
		cancel()
		result.Steps++
		if !reply.OK {
			return result, failure(reply)
		}
		result.Message = reply.Text
	}
	return result, nil
}

// failure returns the error of a reply.
func failure(reply protocol.CommandReply) error {
	if reply.Error != nil {
		return reply.Error
	}
	return protocol.NewError(protocol.CodeInternal, "the command failed", "")
}

// run runs one command whose reply has data.
func (r *Runner) run(ctx context.Context, s protocol.Schedule, tab protocol.TabID, name string, args map[string]any, out any) error {
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	req := protocol.CommandRequest{Command: name, Tab: tab, Args: map[string]json.RawMessage{}}
	for key, value := range args {
		raw, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("writing %s of %s: %w", key, name, err)
		}
		req.Args[key] = raw
	}
	reply := r.sessions.Command(ctx, grant(s, tab), req)
	if !reply.OK {
		return failure(reply)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Data, out); err != nil {
		return fmt.Errorf("reading the reply of %s: %w", name, err)
	}
	return nil
}

// open opens a tab in the background, with a page unless that is empty.
func (r *Runner) open(ctx context.Context, s protocol.Schedule, page string) (protocol.TabID, error) {
	var info protocol.PageInfo
	if err := r.run(ctx, s, "", "newtab", map[string]any{"front": false}, &info); err != nil || page == "" {
		return info.Tab, err
	}
	if err := r.run(ctx, s, info.Tab, "goto", map[string]any{"url": page}, nil); err != nil {
		r.close(ctx, s, info.Tab) // there is nothing to be seen in it
		return "", err
	}
	return info.Tab, nil
}

// close closes the tab of a run. It may be closed already, by the run or by the user.
func (r *Runner) close(ctx context.Context, s protocol.Schedule, tab protocol.TabID) {
	_ = r.run(context.WithoutCancel(ctx), s, tab, "closetab", nil, nil)
}

// Text returns the text that a schedule of a page watches, as the session shows it to its
// user: with their sign-ins, and what scripts have written.
func (r *Runner) Text(ctx context.Context, s protocol.Schedule) (string, error) {
	tab, err := r.open(ctx, s, s.When.Page)
	if err != nil {
		return "", err
	}
	defer r.close(ctx, s, tab)
	name, args := "text", map[string]any(nil)
	if s.When.Selector != "" {
		name, args = "markdown", map[string]any{"element": s.When.Selector}
	}
	var page struct {
		Text string `json:"text"`
	}
	err = r.run(ctx, s, tab, name, args, &page)
	return page.Text, err
}

// task runs a task and follows it to its end.
func (r *Runner) task(ctx context.Context, s protocol.Schedule, tab protocol.TabID, file string, begun func(protocol.TaskID)) (schedule.Result, error) {
	tasks, err := r.sessions.Tasks(s.Session)
	if err != nil {
		return schedule.Result{}, err
	}
	req := protocol.TaskRunRequest{Goal: strings.ReplaceAll(s.What.Task, filePlace, file), Routine: s.What.Routine, Tab: tab, Profile: s.What.Profile, MaxSteps: s.MaxSteps}
	if len(s.What.Params) > 0 {
		req.Params = map[string]string{}
		for name, value := range s.What.Params {
			req.Params[name] = strings.ReplaceAll(value, filePlace, file)
		}
	}
	by := grant(s, tab)
	head, err := tasks.Run(ctx, by, req)
	if err != nil {
		return schedule.Result{}, err
	}
	begun(head.ID)
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, err := tasks.Follow(following, by, head.ID, 0)
	if err != nil {
		return schedule.Result{}, err
	}
	lost := time.AfterFunc(protocol.TaskLostWait, cancel)
	lost.Stop()
	defer lost.Stop()
	var over error
	for page, err := range pages {
		if err != nil {
			over = err
			break
		}
		head = page.Head
		if s.MaxTokens > 0 && head.Tokens > s.MaxTokens {
			over = protocol.NewError(protocol.CodeRefused, fmt.Sprintf("it was stopped after %d tokens, and may use %d", head.Tokens, s.MaxTokens), "allow more tokens, or a smaller task")
			break
		}
		if head.State == protocol.TaskInterrupted {
			lost.Reset(protocol.TaskLostWait) // it may be resumed
		} else {
			lost.Stop()
		}
	}
	switch {
	case over != nil:
	case ctx.Err() != nil:
		over = ctx.Err()
	case head.State == protocol.TaskInterrupted:
		over = protocol.NewError(protocol.CodeNotRunning, "the task was interrupted: what ran it was closed", "resume it in the panel, or run the schedule again")
	}
	result := schedule.Result{Message: head.Summary, Steps: head.Steps, Tokens: head.Tokens}
	if over != nil {
		if head.State != protocol.TaskInterrupted && !head.State.Over() {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), protocol.TaskTakeTimeout)
			defer cancel()
			if _, err := tasks.Stop(stopping, by, head.ID); err != nil && !errors.Is(over, err) {
				over = errors.Join(over, err)
			}
		}
		return result, over
	}
	switch {
	case head.State == protocol.TaskDone:
		return result, nil
	case head.State == protocol.TaskStopped:
		return result, protocol.NewError(protocol.CodeRefused, "the task was stopped", "")
	case head.Error != nil:
		return result, head.Error
	}
	return result, protocol.NewError(protocol.CodeInternal, "the task failed: "+head.Summary, "")
}
