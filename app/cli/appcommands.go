package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/config"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// ask sends an action to the app and returns its sessions. Without an app, an action
// that makes or starts a session starts one, as the commands of the browser do.
func (p *program) ask(ctx context.Context, in syntax.Invocation, req protocol.AppRequest) (protocol.AppReply, error) {
	return p.asking(ctx, in, req, func(protocol.Attaching) error { return nil })
}

// asking is ask, and ends with the error that waiting returns while the session waits for
// its browser.
func (p *program) asking(ctx context.Context, in syntax.Invocation, req protocol.AppRequest, waiting func(protocol.Attaching) error) (protocol.AppReply, error) {
	var reply protocol.AppReply
	find := func() (*client.Client, error) { return client.Find(p.getenv) }
	if req.Action == protocol.AppStart || req.Action == protocol.AppCreate {
		find = func() (*client.Client, error) { return client.FindOrStart(ctx, p.getenv) }
	}
	c, err := find()
	if err != nil {
		return reply, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := client.Patience(in.Timeout) + protocol.CLIMargin
	late := time.AfterFunc(patience, func() { cancel(context.DeadlineExceeded) })
	defer late.Stop()
	if req.Action == protocol.AppStart || req.Action == protocol.AppRestart {
		var steps sync.WaitGroup
		defer steps.Wait()
		defer cancel(nil)
		steps.Go(func() {
			p.tellSteps(ctx, c, req, func(a protocol.Attaching) error {
				if in.Timeout == 0 { // the user may take as long as the user needs
					late.Reset(patience)
				}
				err := waiting(a)
				if err != nil {
					cancel(err)
				}
				return err
			})
		})
	}
	err = c.Post(ctx, "/app", req, &reply)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		err = cause
	}
	return reply, err
}

// statusEvery is how often tellSteps asks.
const statusEvery = 500 * time.Millisecond

// tellSteps says what the user has to do while a session that starts waits for the user's own
// browser, until ctx ends. It calls waits as often as it finds the session waiting, and ends
// with its error.
func (p *program) tellSteps(ctx context.Context, c *client.Client, req protocol.AppRequest, waits func(protocol.Attaching) error) {
	ask := time.NewTicker(statusEvery)
	defer ask.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ask.C:
		}
		var now protocol.AppReply
		if err := c.Post(ctx, "/app", protocol.AppRequest{Action: protocol.AppStatus}, &now); err != nil {
			return // the start's own error says more
		}
		for _, s := range now.Sessions {
			if s.Attaching == nil || s.Name != req.Session && req.Project == "" {
				continue
			}
			if waits(*s.Attaching) != nil {
				return
			}
			if next := s.Attaching.Ask(); next != said {
				said = next
				say.Note(p.stderr, next)
			}
		}
	}
}

// post sends a request to the app that runs, and reads its reply into out.
func (p *program) post(ctx context.Context, in syntax.Invocation, route string, req, out any) error {
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	ctx, cancel := client.Deadline(ctx, client.Patience(in.Timeout))
	defer cancel()
	return c.Post(ctx, route, req, out)
}

func (p *program) status(ctx context.Context, in syntax.Invocation) error {
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppStatus})
	if err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return p.print(describeSessions(reply.Sessions, time.Now()) + describeSettings(reply.Settings) + describeConfinement(reply.Confinement))
}

// describeSettings says what is wrong in the settings file, and what is in force.
func describeSettings(problem *protocol.SettingsProblem) string {
	if problem == nil {
		return ""
	}
	reported := problem.Error()
	text := fmt.Sprintf("settings: %s\n  %s\n", reported.Message, reported.Hint)
	if !problem.Unknown {
		text += "  The last valid settings are in force.\n"
	}
	return text
}

// describeConfinement says in which of three states agents start: closed, closed without
// the desktop, or open.
func describeConfinement(c *protocol.Confinement) string {
	switch {
	case c == nil: // an older app
		return ""
	case !c.On:
		return "agents: not confined\n  Settings turn it off.\n"
	case c.Problem != nil:
		return fmt.Sprintf("agents: not confined: %s\n  %s\n", c.Problem.Message, c.Problem.Hint)
	case c.Desktop != nil:
		return fmt.Sprintf("agents: confined without the desktop: %s\n  %s\n", c.Desktop.Message, c.Desktop.Hint)
	}
	return "agents: confined\n"
}

func (p *program) sessions(ctx context.Context, in syntax.Invocation) error {
	name := in.Session
	if given := in.Values["name"]; given != "" {
		parsed, err := protocol.ParseSessionName(given)
		if err != nil {
			return err
		}
		name = parsed
	}
	action, ok := map[string]protocol.AppAction{
		"start": protocol.AppStart, "stop": protocol.AppStop, "restart": protocol.AppRestart, "new": protocol.AppCreate, "delete": protocol.AppDelete,
		"test-proxy": protocol.AppTestProxy,
	}[in.Values["action"]]
	if !ok { // "list", or nothing
		return p.status(ctx, in)
	}
	if name == "" {
		// Creating and deleting need a name: a forgotten word must not affect the
		// default session.
		if action == protocol.AppCreate || action == protocol.AppDelete {
			return in.UsageError("NAME is missing: the session to %s", action)
		}
		name = protocol.DefaultSession
	}
	project := ""
	if here, err := os.Getwd(); err == nil && action == protocol.AppStart && in.Values["name"] == "" && in.Session == "" {
		project = config.FindProject(here)
	}
	id, err := identityOf(in)
	if err != nil {
		return err
	}
	if id != nil && action != protocol.AppStart && action != protocol.AppCreate && action != protocol.AppTestProxy {
		return in.UsageError("the options of an identity are for new, start and test-proxy")
	}
	if id != nil && project != "" {
		return in.UsageError("name a session with these options: without a name, %s says how to start", project)
	}
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: action, Session: name, Identity: id, Project: project})
	if err != nil {
		return err
	}
	if project != "" {
		name = reply.Started
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	if test := reply.Test; test != nil {
		return p.print(fmt.Sprintf("%s connected to %s in %d ms", test.Proxy, test.Host, test.Milliseconds))
	}
	for _, s := range reply.Sessions {
		if s.Name == name {
			return p.print(describeSessions([]protocol.SessionInfo{s}, time.Now()))
		}
	}
	return p.print("deleted " + string(name))
}

func (p *program) app(ctx context.Context, in syntax.Invocation) error {
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppAction(in.Values["action"])})
	if err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return nil
}

// pair gives a session to the panel that shows a code.
func (p *program) pair(ctx context.Context, in syntax.Invocation) error {
	reply, err := p.ask(ctx, in, protocol.AppRequest{Action: protocol.AppPair, Session: in.Session, Code: in.Values["code"]})
	if err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return p.print("paired: the panel connects")
}

// describeSessions formats the status for a user.
func describeSessions(sessions []protocol.SessionInfo, now time.Time) string {
	var b strings.Builder
	for _, s := range sessions {
		fmt.Fprintf(&b, "%s: %s", s.Name, s.State)
		if s.StartedAt != nil {
			fmt.Fprintf(&b, " for %s", now.Sub(*s.StartedAt).Round(time.Second))
		}
		attached := s.Browser != nil && s.Browser.Attached
		switch {
		case attached && s.State == protocol.SessionRunning:
			fmt.Fprintf(&b, ", attached to %s", s.Browser.Name)
		case s.Browser != nil && !attached:
			fmt.Fprintf(&b, ", %s %s", s.Browser.Name, s.Browser.Version)
		}
		if s.State == protocol.SessionRunning {
			fmt.Fprintf(&b, ", panel %s", s.Panel)
		}
		if id := s.Identity; id != nil {
			if id.Temporary {
				b.WriteString(", temporary profile")
			}
			if id.Proxy != "" {
				fmt.Fprintf(&b, ", proxy %s", say.OneLine(id.Proxy))
			}
		}
		b.WriteString("\n")
		if s.Attaching != nil {
			fmt.Fprintf(&b, "  %s\n", s.Attaching.Ask())
		}
		if attached && s.State == protocol.SessionBackground {
			fmt.Fprintf(&b, "  %s was closed, or the connection to it has ended; `pilotfish sessions start %s` asks it again\n", s.Browser.Name, s.Name)
		}
		if s.Error != nil {
			fmt.Fprintf(&b, "  error: %s\n", say.OneLine(s.Error.Error()))
		}
		for _, warning := range s.Warnings {
			fmt.Fprintf(&b, "  warning: %s\n", say.OneLine(warning.Message))
		}
		for _, tab := range s.Tabs {
			mark := " "
			if tab.Focused {
				mark = "*"
			}
			where := say.OneLine(tab.URL)
			if title := protocol.PageTitle(tab.Title, tab.URL); title != "" {
				where = say.OneLine(title) + "  " + where
			}
			fmt.Fprintf(&b, "  %s %-4s %s", mark, tab.ID, where)
			if tab.Agent != nil {
				fmt.Fprintf(&b, "  [%s: %s]", say.OneLine(tab.Agent.Name), tab.Agent.Status)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// guard runs the guard, which the app starts as a separate process; see
// proc.StartGuard.
func (p *program) guard(context.Context, syntax.Invocation) error {
	// Whoever wrote to its pipe could keep it from ending a process.
	if err := proc.SetNotDumpable(); err != nil {
		return err
	}
	return proc.RunGuard(p.stdin, os.Stdout)
}
