package llm

import (
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// azureVersion is the version of Azure's API that is used if the address names
// none.
const azureVersion = "2024-10-21"

// The endings of complete addresses, which users copy from a provider's pages.
var wholeRoutes = []string{"/chat/completions", "/messages", "/responses", "/models"} //nolint:gochecknoglobals // a constant that Go has no form for

// shaped returns the address below which the provider's routes are. The user
// may have given the address of their Azure resource, or a complete route.
func (t target) shaped() *url.URL {
	u := *t.base
	for _, route := range wholeRoutes {
		u.Path = strings.TrimSuffix(u.Path, route)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	switch t.info.Provider {
	case protocol.LLMAzure:
		azure(&u, t.profile.Model)
	case protocol.LLMGoogle:
		// Google's own API has another format; the OpenAI format that we use is
		// below /openai.
		if u.Host == "generativelanguage.googleapis.com" && !strings.HasSuffix(u.Path, "/openai") {
			u.Path = "/v1beta/openai"
		}
	case protocol.LLMAnthropic:
		if u.Host == "api.anthropic.com" && u.Path == "" {
			u.Path = "/v1"
		}
	case protocol.LLMOpenAI, protocol.LLMOpenRouter, protocol.LLMMistral, protocol.LLMGroq, protocol.LLMDeepSeek, protocol.LLMQwen,
		protocol.LLMCompatible, protocol.LLMOllama, protocol.LLMLMStudio, protocol.LLMLlamaCpp:
	}
	return &u
}

// azure adds the deployment and the API version to the address of a resource.
// Azure's newer API (/openai/v1) has the deployment in the field model, and
// needs no version.
func azure(u *url.URL, deployment string) {
	if strings.HasSuffix(u.Path, "/openai/v1") {
		return
	}
	if !strings.Contains(u.Path, "/deployments/") {
		u.Path = strings.TrimSuffix(u.Path, "/openai") + "/openai/deployments/" + deployment
	}
	query := u.Query()
	if !query.Has("api-version") {
		query.Set("api-version", azureVersion)
		u.RawQuery = query.Encode()
	}
}

// listless returns an error if the provider does not list its models at this
// address.
func (t target) listless() error {
	if t.info.Provider == protocol.LLMAzure && strings.Contains(t.shaped().Path, "/deployments/") {
		return protocol.NewError(protocol.CodeBadArgument, "Azure lists no deployments", "write the name of your deployment as the model")
	}
	return nil
}
