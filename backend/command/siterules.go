package command

import (
	"context"
	"fmt"
	"strings"

	"pilotfish/backend/protocol"
)

// siteRuleCommands is `rules`: for the person at a shell, never for an agent.
func siteRuleCommands() []command {
	kinds := make([]string, 0, len(protocol.ActionKinds()))
	for _, k := range protocol.ActionKinds() {
		kinds = append(kinds, string(k))
	}
	return []command{
		{Spec: Spec{
			Name: "rules", Scope: protocol.ScopeAdmin, Summary: "list or change what agents may do on which sites",
			Help: "The closest site counts: https://example.com:8443, then example.com, then *.example.com, then * for every page. " +
				"A rule for sensitive is about eval, cookies, download, upload, clipboard and permissions that have no rule of their own. " +
				"Private networks are refused unless the very host is allowed to be opened.",
			Args: []Arg{
				{Name: "do", Type: String, Choices: []string{"list", "allow", "ask", "deny", "remove"}, Default: "list", Help: "what to do"},
				{Name: "kind", Type: String, Choices: kinds, Help: "the kind of action"},
				{Name: "site", Type: String, Help: "example.com, *.example.com, an origin, or * for every page"},
			},
			Returns:  "the rules",
			Examples: []string{"rules", "rules allow eval localhost", "rules deny open '*.bank.example'", "rules remove eval localhost"},
		}, tab: noTab, run: runSiteRules},
	}
}

func runSiteRules(_ context.Context, in *invocation) (result, error) {
	rules := in.policy.Rules()
	do, kind, site := in.args.text("do"), protocol.ActionKind(in.args.text("kind")), in.args.text("site")
	if do != "" && do != "list" && (kind == "" || site == "") {
		return result{}, protocol.NewError(protocol.CodeBadArgument, "a rule is for a kind of action and a site", "", protocol.Example("rules", "allow", "eval", "localhost"))
	}
	var err error
	switch do {
	case "", "list":
	case "remove":
		err = rules.Remove(site, kind)
	default:
		err = rules.Set(protocol.SiteRule{Site: site, Kind: kind, Decision: protocol.SiteDecision(do)})
	}
	if err != nil {
		return result{}, err
	}
	list := rules.List()
	var lines []string
	for _, r := range list {
		row := fmt.Sprintf("%-5s %-11s %s", r.Decision, r.Kind, r.Site)
		if r.Default {
			row += " (default)"
		}
		lines = append(lines, row)
	}
	return result{text: strings.Join(lines, "\n"), data: list}, nil
}
