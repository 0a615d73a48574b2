package policy

import (
	"context"
	"fmt"

	"pilotfish/backend/protocol"
)

// Request is something that an agent wants to do.
type Request struct {
	Actor protocol.Actor
	Kind  protocol.ActionKind
	Tab   protocol.TabID
	// Page is the address of the page that it is about: the one that the tab
	// shows, or the one to open.
	Page    string
	Command string
	Args    []protocol.ApprovalArg
}

// words say what a kind of action is.
func words(kind protocol.ActionKind) string {
	switch kind {
	case protocol.ActionOpen:
		return "open the page"
	case protocol.ActionAct:
		return "use the page"
	case protocol.ActionEval:
		return "run code in the page"
	case protocol.ActionCookies:
		return "see or change cookies and stored values"
	case protocol.ActionDownload:
		return "save a file from the page"
	case protocol.ActionUpload:
		return "give the page a file"
	case protocol.ActionClipboard:
		return "use the clipboard"
	case protocol.ActionPermissions:
		return "give the page permissions"
	case protocol.ActionSend:
		return "send or publish something"
	case protocol.ActionPay:
		return "pay or order"
	case protocol.ActionDelete:
		return "delete something"
	case protocol.ActionSignIn:
		return "sign in"
	case protocol.ActionData:
		return "enter data on this site, which it did not begin on"
	case protocol.ActionSensitive:
	}
	return "do something sensitive"
}

// Authorize says whether an agent may do something, and waits for the person
// when the rules say ask. A person is never asked about what they do
// themselves. It returns CodeRefused with the reason, or what Broker.Ask does.
func (p *Policy) Authorize(ctx context.Context, q Request) error {
	if !Agent(q.Actor) {
		return nil
	}
	rule := p.decide(q)
	switch {
	case rule.Decision == protocol.SiteAllow:
		return nil
	case rule.Decision == protocol.SiteDeny || p.config.Broker == nil:
		return p.denied(q, rule)
	}
	site := ""
	if u := siteOf(q.Page); u != nil {
		site = hostOf(u)
	}
	if p.allowed(q.Actor, q.Kind, site) {
		return nil
	}
	answer, err := p.config.Broker.Ask(ctx, protocol.Approval{
		Actor: q.Actor, Tab: q.Tab, URL: q.Page, Origin: Origin(q.Page), Command: q.Command, Args: q.Args,
		Kind: q.Kind, Why: words(q.Kind), Site: site,
	})
	if err != nil {
		return err
	}
	switch answer {
	case protocol.AnswerAlways:
		return p.rules.Set(protocol.SiteRule{Site: site, Kind: q.Kind, Decision: protocol.SiteAllow})
	case protocol.AnswerTask:
		p.allow(q.Actor, q.Kind, site)
		return nil
	case protocol.AnswerOnce:
		return nil
	case protocol.AnswerDeny:
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the person said no to %s on %s", q.Command, Origin(q.Page)), "do not try again; ask the person what to do instead")
}

func (p *Policy) denied(q Request, rule protocol.SiteRule) error {
	hint := "the person can change it: Settings in the Pilotfish window, or `pilotfish rules`"
	if rule.Decision == protocol.SiteAsk {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%s needs a person's word, and there is nobody to ask", q.Command), hint)
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the site rules do not let agents %s on %s", words(q.Kind), Origin(q.Page)), hint)
}

// Rules are the site rules of the session.
func (p *Policy) Rules() *Rules { return p.rules }
