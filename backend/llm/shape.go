package llm

import (
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// azureVersion is the version of Azure's interface that is asked for where the
// address names none.
const azureVersion = "2024-10-21"

// The ends of addresses that people copy whole from a provider's pages.
var wholeRoutes = []string{"/chat/completions", "/messages", "/responses", "/models"} //nolint:gochecknoglobals // a constant that Go has no form for

// shaped is the address below which a provider's routes stand, in the provider's
// own shape: a person may give that of their resource, or a whole one.
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
		// Google's own interface has another format; the one that we speak is beside
		// it.
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

// azure puts a deployment and a version into the address of a resource. Azure's
// newer interface (/openai/v1) takes the deployment as the model, and no version.
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

// listless says that a provider lists no models at this address.
func (t target) listless() error {
	if t.info.Provider == protocol.LLMAzure && strings.Contains(t.shaped().Path, "/deployments/") {
		return protocol.NewError(protocol.CodeBadArgument, "Azure lists no deployments", "write the name of your deployment as the model")
	}
	return nil
}
