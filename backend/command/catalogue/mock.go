package catalogue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// dataTypes are the types of request whose response a page gets as data.
// "preflight" is the question of the browser before some of them.
var dataTypes = []string{"fetch", "xhr", "image", "media", "font", "eventsource", "preflight"}

// codeTypes are the other types of request that a mock can name. Their response
// can run as code. A frame is a document.
var codeTypes = []string{"document", "stylesheet", "script", "texttrack", "manifest", "other"}

// mocked returns the rule that a call of network mock means. Without --type it
// answers every request, except that an agent's JSON answers only requests for
// data.
func mocked(in *command.Invocation) (protocol.NetworkRule, error) {
	headers, err := parseHeaders(in.Args.List("headers"))
	if err != nil {
		return protocol.NetworkRule{}, err
	}
	rule := protocol.NetworkRule{Pattern: protocol.AddressPattern(in.Args.Text("what")), Headers: headers, Body: in.Args.Text("body"), Status: in.Args.Number("status")}
	if rule.Status == 0 {
		rule.Status = 200
	}
	kind, body := strings.ToLower(in.Args.Text("type")), strings.TrimSpace(rule.Body)
	switch {
	case kind != "" && !slices.Contains(dataTypes, kind) && !slices.Contains(codeTypes, kind):
		return rule, command.BadArgument(fmt.Sprintf("a mock cannot be for the type %.40q", kind), "use one of "+strings.Join(append(slices.Clone(dataTypes), codeTypes...), ", "))
	case kind == "fetch", kind == "xhr":
		rule.Types = []string{kind, "preflight"}
	case kind != "":
		rule.Types = []string{kind}
	case in.Agent() && (strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[")):
		rule.Types = slices.Clone(dataTypes)
	}
	return rule, nil
}

// mocksCode returns the pattern of a call of network mock whose response can run
// as code, or change what the site stores; "" for every other call.
func mocksCode(in *command.Invocation) string {
	if in.Args.Do("list") != "mock" || in.Args.Text("what") == "" {
		return ""
	}
	rule, err := mocked(in)
	if err != nil || (rule.Body == "" && len(rule.Headers) == 0) {
		return "" // it is refused later; or it has nothing that could run
	}
	data := len(rule.Types) > 0 && !slices.ContainsFunc(rule.Types, func(t string) bool { return !slices.Contains(dataTypes, t) })
	for name := range rule.Headers {
		data = data && onlyDescribes(strings.ToLower(name))
	}
	if data {
		return ""
	}
	return rule.Pattern
}

// onlyDescribes reports whether a header of a response only describes it: it names no
// address that the browser loads (as Location and Link do), and stores nothing.
func onlyDescribes(header string) bool {
	return slices.Contains([]string{
		"age", "cache-control", "content-disposition", "content-language", "content-type", "date", "etag", "expires", "last-modified", "retry-after", "vary",
	}, header) || strings.HasPrefix(header, "access-control-") || strings.HasPrefix(header, "x-") && header != "x-sourcemap"
}

// mockLoads returns the addresses in an agent's response of data, which the page may
// load. A response that can run is asked about whole.
func mockLoads(in *command.Invocation) []string {
	if in.Args.Do("list") != "mock" || mocksCode(in) != "" {
		return nil
	}
	return policy.TextAddresses(in.Args.Text("body"))
}

func (c *commands) networkRules(ctx context.Context, in *command.Invocation, do, what string) (command.Result, error) {
	switch do {
	case "unblock":
		if _, err := c.Browser.RemoveNetworkRules(ctx, in.Tab, what); err != nil {
			return command.Result{}, err
		}
	case "block", "mock":
		rule := protocol.NetworkRule{Pattern: what, Block: true}
		if do == "mock" {
			var err error
			if rule, err = mocked(in); err != nil {
				return command.Result{}, err
			}
		}
		if err := c.Browser.AddNetworkRule(ctx, in.Tab, rule); err != nil {
			return command.Result{}, err
		}
	}
	rules := c.Browser.NetworkRules(in.Tab)
	var lines []string
	for _, r := range rules {
		how := fmt.Sprintf("%d, %d bytes", r.Status, len(r.Body))
		if r.Block {
			how = "blocked"
		}
		if len(r.Types) > 0 {
			how += ", only " + strings.Join(r.Types, " ")
		}
		lines = append(lines, fmt.Sprintf("%s  %s  used %s", foreign.Line(r.Pattern, foreign.URLShown), how, spelling.Plural(r.Hits, "time")))
	}
	return command.Result{Text: listing.Last(lines, in.Args.Number("max"), "nothing is blocked or mocked in "+string(in.Tab)), Data: rules}, nil
}
