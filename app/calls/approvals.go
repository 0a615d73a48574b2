package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// Asked answers what waits for the user, and holds the rules that say when
// an agent must ask.
type Asked interface {
	// Answer answers an approval. place says where the user gave the answer.
	Answer(id string, answer protocol.ApprovalAnswer, place string) error
	// Show brings an approval to the front: in the panel beside the tab that it
	// is about, or on the window's page of approvals.
	Show(ctx context.Context, id string)
	Rules() (Rules, error)
}

// Rules says which agent may do what on which sites.
type Rules interface {
	// List returns the rules, the defaults last.
	List() []protocol.SiteRule
	Set(rule protocol.SiteRule) error
	Remove(site string, kind protocol.ActionKind) error
}

// ApprovalCalls are the calls about what waits for the user, and about the rules.
type ApprovalCalls struct {
	of func(name protocol.SessionName) (Asked, error)
}

// NewApprovalCalls returns the calls. of returns the approvals of a session.
func NewApprovalCalls(of func(name protocol.SessionName) (Asked, error)) *ApprovalCalls {
	return &ApprovalCalls{of: of}
}

// AnswerApproval passes on the user's answer to an approval.
func (c *ApprovalCalls) AnswerApproval(session protocol.SessionName, id string, answer protocol.ApprovalAnswer) error {
	asked, err := c.of(session)
	if err != nil {
		return err
	}
	return asked.Answer(id, answer, "window")
}

// SiteRules returns what agents may do on which sites, the defaults last.
func (c *ApprovalCalls) SiteRules(session protocol.SessionName) ([]protocol.SiteRule, error) {
	return c.changed(session, func(Rules) error { return nil })
}

// SetSiteRule adds a rule, or replaces the one for the same site and kind, and
// returns all rules.
func (c *ApprovalCalls) SetSiteRule(session protocol.SessionName, rule protocol.SiteRule) ([]protocol.SiteRule, error) {
	return c.changed(session, func(rules Rules) error { return rules.Set(rule) })
}

// RemoveSiteRule removes a rule and returns those that are left.
func (c *ApprovalCalls) RemoveSiteRule(session protocol.SessionName, site string, kind protocol.ActionKind) ([]protocol.SiteRule, error) {
	return c.changed(session, func(rules Rules) error { return rules.Remove(site, kind) })
}

// changed changes the rules of a session and returns all of them.
func (c *ApprovalCalls) changed(session protocol.SessionName, change func(Rules) error) ([]protocol.SiteRule, error) {
	asked, err := c.of(session)
	if err != nil {
		return nil, err
	}
	rules, err := asked.Rules()
	if err == nil {
		err = change(rules)
	}
	if err != nil {
		return nil, err
	}
	return rules.List(), nil
}
