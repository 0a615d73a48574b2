package approval

import (
	"context"

	"pilotfish/backend/op"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Operations are the user's answers to approvals, and what the user does with site rules,
// in the window and the tray. find returns a session's approvals. Those about rules return
// all rules, the defaults last.
func Operations(find func(protocol.SessionName) (*Manager, error)) []op.Operation {
	return []op.Operation{
		op.Of(find, "AnswerApproval", func(_ context.Context, m *Manager, call op.Call, in protocol.ApprovalAnswerRequest) (op.None, error) {
			return op.None{}, m.Answer(in.ID, in.Answer, call.Place)
		}),
		// ShowApproval brings an approval to the front: in the panel beside the tab that it is
		// about, or on the window's page of approvals.
		op.Of(find, "ShowApproval", func(ctx context.Context, m *Manager, _ op.Call, id string) (op.None, error) {
			m.Show(ctx, id)
			return op.None{}, nil
		}),
		op.Of(find, "SiteRules", func(_ context.Context, m *Manager, _ op.Call, _ op.None) ([]protocol.SiteRule, error) {
			return m.changeRules(func(*policy.Rules) error { return nil })
		}),
		// A rule replaces the one for the same site and kind.
		op.Of(find, "SetSiteRule", func(_ context.Context, m *Manager, _ op.Call, rule protocol.SiteRule) ([]protocol.SiteRule, error) {
			return m.changeRules(func(rules *policy.Rules) error { return rules.Set(rule) })
		}),
		// Of the rule, site and kind count.
		op.Of(find, "RemoveSiteRule", func(_ context.Context, m *Manager, _ op.Call, rule protocol.SiteRule) ([]protocol.SiteRule, error) {
			return m.changeRules(func(rules *policy.Rules) error { return rules.Remove(rule.Site, rule.Kind) })
		}),
	}
}

func (m *Manager) changeRules(change func(*policy.Rules) error) ([]protocol.SiteRule, error) {
	rules := m.Rules()
	if err := change(rules); err != nil {
		return nil, err
	}
	return rules.List(), nil
}
