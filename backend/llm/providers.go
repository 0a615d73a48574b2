package llm

import "pilotfish/backend/protocol"

// Providers returns the providers that Settings offer, in the order in which
// the user sees them. The addresses are from the providers' own documentation.
func Providers() []protocol.LLMProviderInfo {
	const openai, anthropic = protocol.DialectOpenAI, protocol.DialectAnthropic
	return []protocol.LLMProviderInfo{
		{Provider: protocol.LLMAnthropic, Name: "Anthropic", Dialect: anthropic, URL: "https://api.anthropic.com/v1", NeedsKey: true, KeyURL: "https://console.anthropic.com/settings/keys"},
		{Provider: protocol.LLMOpenAI, Name: "OpenAI", Dialect: openai, URL: "https://api.openai.com/v1", NeedsKey: true, KeyURL: "https://platform.openai.com/api-keys"},
		{Provider: protocol.LLMGoogle, Name: "Google Gemini", Dialect: openai, URL: "https://generativelanguage.googleapis.com/v1beta/openai", NeedsKey: true, KeyURL: "https://aistudio.google.com/apikey"},
		{Provider: protocol.LLMAzure, Name: "Azure OpenAI", Dialect: openai, NeedsKey: true},
		{Provider: protocol.LLMOpenRouter, Name: "OpenRouter", Dialect: openai, URL: "https://openrouter.ai/api/v1", NeedsKey: true, KeyURL: "https://openrouter.ai/keys"},
		{Provider: protocol.LLMMistral, Name: "Mistral", Dialect: openai, URL: "https://api.mistral.ai/v1", NeedsKey: true, KeyURL: "https://console.mistral.ai/api-keys"},
		{Provider: protocol.LLMGroq, Name: "Groq", Dialect: openai, URL: "https://api.groq.com/openai/v1", NeedsKey: true, KeyURL: "https://console.groq.com/keys"},
		{Provider: protocol.LLMDeepSeek, Name: "DeepSeek", Dialect: openai, URL: "https://api.deepseek.com/v1", NeedsKey: true, KeyURL: "https://platform.deepseek.com/api_keys"},
		{Provider: protocol.LLMQwen, Name: "Qwen", Dialect: openai, URL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", NeedsKey: true},
		{Provider: protocol.LLMCompatible, Name: "OpenAI-compatible", Dialect: openai},
		{Provider: protocol.LLMOllama, Name: "Ollama", Dialect: openai, URL: "http://127.0.0.1:11434/v1"},
		{Provider: protocol.LLMLMStudio, Name: "LM Studio", Dialect: openai, URL: "http://127.0.0.1:1234/v1"},
		{Provider: protocol.LLMLlamaCpp, Name: "llama.cpp", Dialect: openai, URL: "http://127.0.0.1:8080/v1"},
	}
}

// provider returns the provider with a name.
func provider(name protocol.LLMProvider) (protocol.LLMProviderInfo, bool) {
	for _, p := range Providers() {
		if p.Provider == name {
			return p, true
		}
	}
	return protocol.LLMProviderInfo{}, false
}
