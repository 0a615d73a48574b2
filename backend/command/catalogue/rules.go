package catalogue

import (
	"context"
	"fmt"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// rules returns `rules`, for the user at a shell and never for an agent.
func (*commands) rules() []command.Command {
	kinds := make([]string, 0, len(protocol.ActionKinds()))
	for _, k := range protocol.ActionKinds() {
		kinds = append(kinds, string(k))
	}
	return []command.Command{
		{Spec: command.Spec{
			Name: "rules", Scope: protocol.ScopeAdmin, Summary: "list or change what agents may do on which sites",
			Help: "The closest site counts: https://example.com:8443, then example.com, then *.example.com, then * for every page. " +
				"A rule for sensitive is about eval, cookies, download, upload, clipboard and permissions that have no rule of their own. " +
				"Private networks are refused unless the very host is allowed to be opened.",
			Args: []command.Arg{
				{Name: "do", Type: command.String, Choices: []string{"list", "allow", "ask", "deny", "remove"}, Default: "list", Help: "what to do"},
				{Name: "kind", Type: command.String, Choices: kinds, Help: "the kind of action"},
				{Name: "site", Type: command.String, Help: "example.com, *.example.com, an origin, or * for every page"},
			},
			Returns:  "the rules",
			Examples: []string{"rules", "rules allow eval localhost", "rules deny open '*.bank.example'", "rules remove eval localhost"},
		}, Tab: command.NoTab, Run: runRules},
	}
}

func runRules(_ context.Context, in *command.Invocation) (command.Result, error) {
	rules := in.Rules()
	do, kind, site := in.Args.Text("do"), protocol.ActionKind(in.Args.Text("kind")), in.Args.Text("site")
	if do != "" && do != "list" && (kind == "" || site == "") {
		return command.Result{}, protocol.NewError(protocol.CodeBadArgument, "a rule is for a kind of action and a site", "", protocol.Example("rules", "allow", "eval", "localhost"))
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
		return command.Result{}, err
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
	return command.Result{Text: strings.Join(lines, "\n"), Data: list}, nil
}
