package policy

import (
	"context"
	"fmt"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// Request is something that an agent wants to do.
type Request struct {
	Actor protocol.Actor
	Kind  protocol.ActionKind
	Tab   protocol.TabID
	// Page is the address of the page that the request is about: the page that the
	// tab shows, or the one to open.
	Page string
	// Everywhere: the request is about the pages of every site, and Page is empty.
	// The strictest rule decides.
	Everywhere bool
	// Once: an answer is for this request only.
	Once    bool
	Command string
	Args    []protocol.ApprovalArg
	// Target is the element that would be acted on, if it is known.
	Target *protocol.TargetFacts
	// Asking is called with the question to the user as soon as it waits, on the
	// goroutine that asks; it must not block. nil for no callback.
	Asking func(protocol.Approval)
}

// Authorize decides whether an agent may do something, and waits for the user
// when the rules say ask. A user is never asked about their own actions. It
// returns CodeDenied if the user says no, CodeRefused with the reason of a rule, or an
// error of Broker.AskVerdict.
func (p *Policy) Authorize(ctx context.Context, q Request) error {
	_, err := p.Judge(ctx, q)
	return err
}

// Judge is Authorize, and says whether the user was asked about this very request.
func (p *Policy) Judge(ctx context.Context, q Request) (asked bool, err error) {
	if !Agent(q.Actor) {
		return false, nil
	}
	rule := p.decide(q)
	switch {
	case rule.Decision == protocol.SiteAllow:
		return false, nil
	case rule.Decision == protocol.SiteDeny || p.config.Broker == nil:
		return false, p.denied(q, rule)
	}
	site := site(q.Page)
	if !q.Once && p.allowed(q.Actor, q.Kind, site) {
		return false, nil
	}
	verdict, err := p.config.Broker.AskVerdict(ctx, protocol.Approval{
		Actor: q.Actor, Tab: q.Tab, URL: q.Page, Origin: Origin(q.Page), Command: q.Command, Args: q.Args,
		Kind: q.Kind, Target: q.Target, Site: site,
	}, q.Asking)
	if err != nil {
		return true, err
	}
	switch verdict.Answer {
	case protocol.AnswerAlways:
		return true, p.rules.Set(protocol.SiteRule{Site: site, Kind: q.Kind, Decision: protocol.SiteAllow})
	case protocol.AnswerTask:
		if !q.Once {
			p.allow(q.Actor, q.Kind, site)
		}
		return true, nil
	case protocol.AnswerOnce:
		return true, nil
	case protocol.AnswerDeny:
	}
	return true, protocol.NewError(protocol.CodeDenied, fmt.Sprintf("the user denied %s%s", q.Command, on(q.Page)), "do not try again; ask the user what to do instead")
}

// Asks reports whether Authorize would ask the user: where the rules say ask, unless the
// user allowed the actor such requests on the site until its task ends.
func (p *Policy) Asks(q Request) bool {
	return Agent(q.Actor) && p.decide(q).Decision == protocol.SiteAsk && (q.Once || !p.allowed(q.Actor, q.Kind, site(q.Page)))
}

// site is the host of a page, as answers until the end of a task name it; empty for a page
// without one.
func site(page string) string {
	if u := siteOf(page); u != nil {
		return hostOf(u)
	}
	return ""
}

// Confirm asks the user about a request of whomever, whatever the rules say. The answer
// is for this request only. It returns CodeDenied when the user says no, or an error
// of Broker.AskVerdict.
func (b *Broker) Confirm(ctx context.Context, q Request) error {
	verdict, err := b.AskVerdict(ctx, protocol.Approval{
		Actor: q.Actor, Tab: q.Tab, URL: q.Page, Origin: Origin(q.Page), Command: q.Command, Args: q.Args, Kind: protocol.ActionSensitive,
	}, q.Asking)
	if err == nil && verdict.Answer == protocol.AnswerDeny {
		err = protocol.NewError(protocol.CodeDenied, fmt.Sprintf("the user denied %s%s", q.Command, on(q.Page)), "")
	}
	return err
}

// Denies refuses what a rule denies by now. It asks nobody.
func (p *Policy) Denies(q Request) error {
	if rule := p.decide(q); Agent(q.Actor) && rule.Decision == protocol.SiteDeny {
		return p.denied(q, rule)
	}
	return nil
}

func (p *Policy) denied(q Request, rule protocol.SiteRule) error {
	const hint = "the user can change it in Settings of the Pilotfish window"
	next := protocol.Try("changes it, for the user", "rules")
	if rule.Decision == protocol.SiteAsk {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%s needs the user's approval, and there is nobody to ask", q.Command), hint, next)
	}
	if q.Everywhere {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the site rules do not let agents %s on %s, which this would do too", question.May(q.Kind), rule.Site),
			"name one site, as in https://example.com/*")
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the site rules do not let agents %s%s", question.May(q.Kind), on(q.Page)), hint, next)
}

// on returns " on " and the page's origin; empty without a page.
func on(page string) string {
	if origin := Origin(page); origin != "" {
		return " on " + origin
	}
	return ""
}

// Rules returns the site rules of the session.
func (p *Policy) Rules() *Rules { return p.rules }
