package inspect

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
	"pilotfish/extension"
)

// Audit checks a tab's page, its frames included, with axe-core in our isolated
// world, so that the page cannot notice it. level is "a", "aa", "aaa" or "best".
func (in *Inspector) Audit(ctx context.Context, by protocol.Caller, id protocol.TabID, level string) (protocol.Audit, error) {
	var out protocol.Audit
	script, err := extension.AxeScript()
	if err != nil {
		return out, protocol.NewError(protocol.CodeInternal, "this build has no axe-core: the extension was not built before the app", "run make build")
	}
	err = in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		out = protocol.Audit{Violations: []protocol.AuditFinding{}, Unsure: []protocol.AuditFinding{}}
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		out.URL = info.URL
		return elements.EachFrame(p, func(f *page.Frame) error {
			var have bool
			if err := elements.InFrame(ctx, p, f, `() => typeof globalThis.axe === 'object'`, nil, &have); err != nil {
				return err
			}
			if !have {
				if err := load(ctx, p, f, script); err != nil {
					return err
				}
			}
			var part protocol.Audit
			if err := elements.InFrame(ctx, p, f, auditScript, axeTags(level), &part); err != nil {
				return err
			}
			mergeAudit(&out, &part, f)
			return nil
		})
	})
	return out, err
}

// load evaluates a classic script in a frame's world.
func load(ctx context.Context, p *page.Page, f *page.Frame, script string) error {
	s, world, err := p.Ready(ctx, f)
	if err != nil {
		return err
	}
	res, err := cdp.Call(ctx, s, runtime.Evaluate, page.EvaluateParams(script+"\n;0", world))
	if err != nil {
		return p.WorldError(f, world, err)
	}
	if res.ExceptionDetails != nil {
		return errors.New("loading a script into the page: " + res.ExceptionDetails.Text)
	}
	return nil
}

// auditScript runs axe on one document; each frame is audited separately.
const auditScript = `async (page, tags) => {
	const result = await axe.run(document, { iframes: false, resultTypes: ['violations', 'incomplete'], ...(tags ? { runOnly: { type: 'tag', values: tags } } : {}) });
	const finding = ({ id, impact, help, nodes }) => ({
		rule: id, impact: impact ?? 'unknown', help,
		nodes: nodes.map(({ target, html, failureSummary }) => ({
			target: target.flat().join(' '), html: html.slice(0, 300),
			why: (failureSummary ?? '').split('\n').slice(1).map((s) => s.trim()).filter(Boolean).join('; ').slice(0, 400),
		})),
	});
	return { violations: result.violations.map(finding), unsure: result.incomplete.map(finding), passed: result.passes.length };
}`

// axeTags returns axe's tags for the rules of a level and of all levels below it.
func axeTags(level string) []string {
	tags := []string{"wcag2a", "wcag21a", "wcag22a"}
	switch level {
	case "a":
	case "aa":
		tags = append(tags, "wcag2aa", "wcag21aa", "wcag22aa")
	case "aaa":
		tags = append(tags, "wcag2aa", "wcag21aa", "wcag22aa", "wcag2aaa")
	default:
		return nil // every rule, good practice included
	}
	return tags
}

// mergeAudit adds the findings of a frame.
func mergeAudit(into, part *protocol.Audit, f *page.Frame) {
	add := func(list, found []protocol.AuditFinding) []protocol.AuditFinding {
		for _, one := range found {
			if f.Number != 0 {
				for i := range one.Nodes {
					one.Nodes[i].Target = f.Name() + " " + one.Nodes[i].Target
				}
			}
			known := false
			for i := range list {
				if list[i].Rule == one.Rule {
					list[i].Nodes = append(list[i].Nodes, one.Nodes...)
					known = true
				}
			}
			if !known {
				list = append(list, one)
			}
		}
		return list
	}
	into.Violations = add(into.Violations, part.Violations)
	into.Unsure = add(into.Unsure, part.Unsure)
	into.Passed = max(into.Passed, part.Passed)
}
