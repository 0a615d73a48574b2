package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// AXTree returns Chromium's own accessibility tree of a tab's page or of an element,
// as indented lines: what assistive programs receive.
func (in *Inspector) AXTree(ctx context.Context, by protocol.Caller, id protocol.TabID, element string) (protocol.PageText, error) {
	var out protocol.PageText
	err := in.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		secrets, err := secrets(ctx, p)
		if err != nil {
			return err
		}
		var lines []string
		if element != "" {
			e, release, err := elements.Find(ctx, p, element)
			if err != nil {
				return err
			}
			defer release()
			res, err := cdp.Call(ctx, e.Session, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: e.Object})
			if err != nil {
				return err
			}
			lines = axLines(res.Nodes, secrets)
		} else {
			err := elements.EachFrame(p, func(f *page.Frame) error {
				s, _ := p.Frames.State(f)
				res, err := cdp.Call(ctx, s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: f.ID})
				if err != nil {
					if _, isMethod := errors.AsType[*devtools.MethodError](err); isMethod && f.Number != 0 {
						return page.ErrReplaced
					}
					return err
				}
				if f.Number != 0 {
					lines = append(lines, "frame "+f.Name()+":")
				}
				lines = append(lines, axLines(res.Nodes, secrets)...)
				return nil
			})
			if err != nil {
				return err
			}
		}
		out = protocol.PageText{URL: info.URL, Title: info.Title, Text: strings.Join(lines, "\n")}
		out.Length = len([]rune(out.Text))
		return nil
	})
	return out, err
}

// axLines formats a tree. It leaves out nodes that assistive programs skip, but not
// their children.
func axLines(nodes []*accessibility.Node, secrets map[string]bool) []string {
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(nodes))
	for _, n := range nodes {
		byID[n.NodeID] = n
	}
	var lines []string
	var draw func(n *accessibility.Node, depth int)
	drawn := make(map[accessibility.NodeID]bool, len(nodes))
	draw = func(n *accessibility.Node, depth int) {
		if n == nil || drawn[n.NodeID] {
			return
		}
		drawn[n.NodeID] = true
		role := elements.AXText(n.Role)
		if role == "InlineTextBox" {
			return
		}
		if !n.Ignored && role != "none" && role != "generic" {
			lines = append(lines, strings.Repeat("  ", depth)+axLine(n, role, secrets))
			depth++
		}
		for _, child := range n.ChildIDs {
			draw(byID[child], depth)
		}
	}
	for _, n := range nodes {
		if byID[n.ParentID] == nil {
			draw(n, 0)
		}
	}
	return lines
}

func axLine(n *accessibility.Node, role string, secrets map[string]bool) string {
	line := role
	masked := func(text string) string {
		if secrets[text] || strings.Trim(text, "•") == "" && text != "" {
			return "•••"
		}
		return text
	}
	if name := masked(elements.AXText(n.Name)); name != "" {
		quoted, err := json.Marshal(name)
		if err == nil {
			line += " " + string(quoted)
		}
	}
	for _, p := range n.Properties {
		value := elements.AXText(p.Value)
		switch p.Name {
		case "focusable", "editable", "settable", "multiline", "readonly", "url":
			continue
		case "level":
			line += " level=" + value
			continue
		}
		if value == "" || value == "false" {
			continue
		}
		if value == "true" {
			line += " " + string(p.Name)
		} else {
			line += fmt.Sprintf(" %s=%s", p.Name, value)
		}
	}
	if value := masked(elements.AXText(n.Value)); value != "" {
		line += " = " + value
	}
	if d := elements.AXText(n.Description); d != "" {
		line += " (" + d + ")"
	}
	return line
}

// secrets returns the values of password, card and one-time-code fields: the
// accessibility tree contains all but passwords in plain text.
func secrets(ctx context.Context, p *page.Page) (map[string]bool, error) {
	out := make(map[string]bool)
	err := elements.EachFrame(p, func(f *page.Frame) error {
		var values []string
		if err := elements.InFrame(ctx, p, f, secretsScript, nil, &values); err != nil {
			return err
		}
		for _, v := range values {
			out[v] = true
		}
		return nil
	})
	return out, err
}

const secretsScript = `() => {
	` + elements.SecretFunction + `
	const out = [];
	const read = (root) => {
		for (const el of root.querySelectorAll('*')) {
			if (el.shadowRoot) read(el.shadowRoot);
			if (/^(input|textarea)$/.test(el.localName) && el.value !== '' && secret(el)) out.push(el.value);
		}
	};
	read(document);
	return out;
}`
