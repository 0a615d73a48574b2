package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// ServeControl sets what the control page may do: the operations of the window. Call it
// before Run.
func (m *Manager) ServeControl(table op.Table) { m.control.Serve(table) }

// ControlAddress returns an address of the control page. It returns CodeNotRunning until
// the server listens.
func (m *Manager) ControlAddress(ask protocol.ControlAsk) (protocol.ControlAddress, error) {
	return m.control.Address(m.endpoint.Port(), ask)
}

// unattended reports whether there is nobody to ask: neither window nor control page.
func (m *Manager) unattended() bool { return m.cfg.Headless && !m.control.Open() }

// controlChanged handles that a control page has begun or ended.
func (m *Manager) controlChanged() {
	m.eachSession(func(s *Session) { s.approvals.SetUnattended(m.unattended()) })
	m.changed()
}

// ofControl is the operation that gives out an address of the control page.
func (g gateway) ofControl() []op.Operation {
	return append(confirmed(g, "app", describeControl, op.New("ControlPage", func(_ context.Context, _ op.Call, req protocol.ControlAsk) (protocol.ControlAddress, error) {
		return g.m.ControlAddress(req)
	}).At(op.Route{Path: "/control-page", Capability: auth.CapabilityApp, About: "An address of the control page, the window's interface for a browser of the user. Its code counts once, for a minute."})),
		op.Do("RunInView", g.inView),
	)
}

// inView runs a command that the user has a button for beside the live view. It has no
// other commands, and opens only web pages: no file of this computer.
func (g gateway) inView(ctx context.Context, call op.Call, req protocol.CommandRequest) error {
	switch req.Command {
	case "back", "forward", "reload", "dialog":
	case "goto":
		var link string
		err := json.Unmarshal(req.Args["url"], &link)
		if err == nil {
			req.Args["url"], err = webPage(link)
		}
		if err != nil {
			return err
		}
	default:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no command of the live view", req.Command), "")
	}
	if done := g.Command(ctx, call.Grant, req, nil); done.Error != nil {
		return done.Error
	}
	return nil
}

// describeControl describes that a browser gets the control page.
func describeControl(req protocol.ControlAsk) []protocol.ApprovalArg {
	args := append(action("control", ""), protocol.ApprovalArg{Name: "for", Value: fmt.Sprint(time.Duration(req.Seconds) * time.Second)})
	if req.PublicURL != "" {
		args = append(args, protocol.ApprovalArg{Name: "address", Value: req.PublicURL})
	}
	return args
}

// View shows a tab to the user at a control page.
func (g gateway) View(ctx context.Context, grant auth.Grant, tab protocol.TabID, inputs <-chan protocol.LiveInput, show func(protocol.LiveFrame) error) error {
	_, r, err := g.current(grant.Session)
	if err != nil {
		return err
	}
	return r.browser.View(ctx, tab, inputs, show)
}
