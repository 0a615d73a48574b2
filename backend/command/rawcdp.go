package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// harmless are the methods that look at a page and change nothing. Everything
// else is refused unless the user allowed it: the protocol can read every
// secret of the profile and drive every tab.
func harmless() map[string]bool {
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

// AllowCDP adds methods that the person allowed for `cdp`: to themselves, or to
// agents. list is asked at every call. It must be called before the first
// command.
func (r *Registry) AllowCDP(list func(agent bool) []string) { r.allowed = list }

// allowedCDP refuses a method that is not allowed: before the person is asked,
// who could not allow it by that.
func allowedCDP(in *invocation) error {
	method := in.args.text("method")
	if !protocol.CDPMethod(method) {
		return badArgument(fmt.Sprintf("%.60q is no method of the protocol", method), "", protocol.Example("cdp", "Page.getLayoutMetrics"))
	}
	if harmless()[method] || in.allowed != nil && slices.Contains(in.allowed(in.agent()), method) {
		return nil
	}
	hint := "you can allow it: cdp_allow in the settings"
	if in.agent() {
		hint = "the user can allow it for agents: cdp_allow_agents in the settings"
	}
	if near := spelling.Nearest(method, slices.Sorted(maps.Keys(harmless()))); near != "" {
		hint = "did you mean " + near + "? Otherwise " + hint
	}
	return protocol.NewError(protocol.CodeRefused, method+" is not one of the methods that are allowed", hint)
}

func runCDP(ctx context.Context, in *invocation) (result, error) {
	method, params := in.args.text("method"), in.args.text("params")
	if params == "" {
		params = "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(params), &object) != nil {
		return result{}, badArgument("the parameters are no JSON object", "", protocol.Example("cdp", "DOM.getDocument", "{\"depth\":2}"))
	}
	answer, err := in.browser.RawCDP(ctx, in.tab, method, json.RawMessage(params))
	if err != nil {
		return result{}, err
	}
	text := string(answer)
	runes := []rune(text)
	more := ""
	if len(runes) > bodyShown {
		text, more = string(runes[:bodyShown]), fmt.Sprintf("\n(%d of %d characters; --json has all)", bodyShown, len(runes))
	}
	return result{text: in.foreign(in.current(), text) + more, data: answer}, nil
}
