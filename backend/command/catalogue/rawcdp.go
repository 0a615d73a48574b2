package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// harmlessCDP returns the methods that read from a page and change nothing. Every
// other method is refused unless the user allowed it: the protocol can read
// every secret of the profile and control every tab.
func harmlessCDP() map[string]bool {
	return map[string]bool{
		"Accessibility.getFullAXTree": true, "Accessibility.queryAXTree": true,
		"CSS.getComputedStyleForNode": true, "CSS.getMatchedStylesForNode": true, "CSS.enable": true,
		"DOM.enable": true, "DOM.getDocument": true, "DOM.querySelector": true, "DOM.querySelectorAll": true, "DOM.describeNode": true,
		"DOM.getBoxModel": true, "DOM.getContentQuads": true, "DOM.getAttributes": true, "DOM.getNodeForLocation": true, "DOM.resolveNode": true,
		"LayerTree.enable": true, "LayerTree.disable": true,
		"Memory.getDOMCounters": true, "Page.getFrameTree": true, "Page.getLayoutMetrics": true, "Page.getNavigationHistory": true,
		"Page.getInstallabilityErrors": true, "Page.getAppManifest": true,
		"Performance.enable": true, "Performance.disable": true, "Performance.getMetrics": true,
		"Schema.getDomains": true, "Storage.getUsageAndQuota": true,
	}
}

// rawCDP returns the command for raw CDP.
func (c *commands) rawCDP() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "cdp", Scope: protocol.ScopeSensitive, Summary: "send one command of the DevTools protocol to the tab",
			Help: "Only methods that change nothing, and those that the settings allow: cdp_allow for you, cdp_allow_agents for agents (you are asked each time).",
			Args: []command.Arg{
				{Name: "method", Type: command.String, Required: true, Help: "such as Page.getLayoutMetrics"},
				{Name: "params", Type: command.String, Default: "{}", Help: "a JSON object"},
			},
			Returns: "the protocol's answer", Examples: []string{"cdp Page.getLayoutMetrics", `cdp DOM.getDocument '{"depth":2}'`},
		}, Tab: command.OwnTab, First: c.checkCDP, Run: c.runCDP},
	}
}

// checkCDP refuses a method that is not allowed. It runs before the user is
// asked, because an approval cannot allow such a method.
func (c *commands) checkCDP(in *command.Invocation) error {
	method := in.Args.Text("method")
	if !protocol.CDPMethod(method) {
		return command.BadArgument(fmt.Sprintf("%.60q is no method of the protocol", method), "", protocol.Example("cdp", "Page.getLayoutMetrics"))
	}
	var allowed string
	if c.Settings != nil {
		settings := c.Settings.Get()
		if allowed = settings.CDPAllow; in.Agent() {
			allowed = settings.CDPAllowAgents
		}
	}
	if harmlessCDP()[method] || slices.Contains(config.Methods(allowed), method) {
		return nil
	}
	hint := "you can allow it: cdp_allow in the settings"
	if in.Agent() {
		hint = "the user can allow it for agents: cdp_allow_agents in the settings"
	}
	if near := spelling.Nearest(method, slices.Sorted(maps.Keys(harmlessCDP()))); near != "" {
		hint = "did you mean " + near + "? Otherwise " + hint
	}
	return protocol.NewError(protocol.CodeRefused, method+" is not one of the methods that are allowed", hint)
}

func (c *commands) runCDP(ctx context.Context, in *command.Invocation) (command.Result, error) {
	method, params := in.Args.Text("method"), in.Args.Text("params")
	if params == "" {
		params = "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(params), &object) != nil {
		return command.Result{}, command.BadArgument("the parameters are no JSON object", "", protocol.Example("cdp", "DOM.getDocument", "{\"depth\":2}"))
	}
	answer, address, err := c.Browser.RawCDP(ctx, in.By(), in.Tab, method, json.RawMessage(params))
	if err != nil {
		return command.Result{}, err
	}
	text := string(answer)
	runes := []rune(text)
	more := ""
	if len(runes) > answerShown {
		text, more = string(runes[:answerShown]), fmt.Sprintf("\n(%d of %d characters; --json has all)", answerShown, len(runes))
	}
	return command.Result{Text: in.Foreign(address, text) + more, Data: answer}, nil
}
