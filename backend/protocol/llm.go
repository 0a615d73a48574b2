package protocol

// LLMProvider is who serves a model.
type LLMProvider string

// The providers. The last three run on this machine and need no key.
const (
	LLMAnthropic  LLMProvider = "anthropic"
	LLMOpenAI     LLMProvider = "openai"
	LLMGoogle     LLMProvider = "google"
	LLMAzure      LLMProvider = "azure"
	LLMOpenRouter LLMProvider = "openrouter"
	LLMMistral    LLMProvider = "mistral"
	LLMGroq       LLMProvider = "groq"
	LLMDeepSeek   LLMProvider = "deepseek"
	LLMQwen       LLMProvider = "qwen"
	LLMCompatible LLMProvider = "compatible" // anything that speaks OpenAI's chat completions
	LLMOllama     LLMProvider = "ollama"
	LLMLMStudio   LLMProvider = "lmstudio"
	LLMLlamaCpp   LLMProvider = "llamacpp"
)

// LLMDialect is the wire format that a provider speaks.
type LLMDialect string

// The dialects.
const (
	DialectAnthropic LLMDialect = "anthropic" // /v1/messages
	DialectOpenAI    LLMDialect = "openai"    // /chat/completions
)

// LLMProviderInfo is a provider as Settings offer it.
type LLMProviderInfo struct {
	Provider LLMProvider `json:"provider"`
	Name     string      `json:"name"`
	Dialect  LLMDialect  `json:"dialect"`
	// URL is where its interface is unless a profile says otherwise; empty when
	// the profile must.
	URL string `json:"url,omitempty"`
	// NeedsKey says that it does nothing without a key.
	NeedsKey bool `json:"needsKey"`
	// KeyURL is the page where a person gets a key.
	KeyURL string `json:"keyUrl,omitempty"`
}

// LLMProfile is one way to reach one model: what Task chooses between. The key
// is never part of it.
type LLMProfile struct {
	// ID is made by the backend when it is empty.
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Provider LLMProvider `json:"provider"`
	// URL replaces the provider's; required for azure and compatible.
	URL   string `json:"url,omitempty"`
	Model string `json:"model"`
	// Vision says that the model takes pictures.
	Vision bool `json:"vision,omitempty"`
	// For are the kinds of task that it is used for: ForTask (the default),
	// ForProgram, ForSummary. Several profiles of one kind: the first. A kind that
	// no profile is for goes to the one for tasks.
	For []string `json:"for"`
	// Keyed: a key was given for it. Where it is gone, because it was kept for one
	// run only, it is asked for again, also of a provider that needs none.
	Keyed bool `json:"keyed,omitempty"`
	// Dialect and HasKey are said by the backend, as Keyed is; they are not read.
	Dialect LLMDialect `json:"dialect"`
	HasKey  bool       `json:"hasKey"`
	// KeyKept is where the key is: "keychain", or "memory" (it is forgotten when
	// Pilotfish ends); empty without a key.
	KeyKept string `json:"keyKept,omitempty"`
}

// The kinds of task that a profile is for.
const (
	ForTask    = "task"    // what a person asks for in the panel
	ForProgram = "program" // what a program asks for: the command line, an agent
	ForSummary = "summary" // telling old steps in short
)

// LLMState is the reply of POST /llm/profiles, and of whatever changes them.
type LLMState struct {
	Profiles  []LLMProfile      `json:"profiles"`
	Providers []LLMProviderInfo `json:"providers"`
	// Keychain says whether keys outlive the app; without one a person is told.
	Keychain bool `json:"keychain"`
}

// ModelsEvent says that the ways to a model changed, here or in the window: a
// panel that shows them asks for them again.
type ModelsEvent struct {
	Type PanelEventType `json:"type" tstype:"'models'"`
}

// LLMSaveRequest is the body of POST /llm/save: a profile that is new or
// changed, and its key when it is to be changed.
type LLMSaveRequest struct {
	Profile LLMProfile `json:"profile"`
	// Key replaces the profile's; null leaves it, empty forgets it.
	Key *string `json:"key,omitempty"`
}

// LLMProfileRequest is the body of POST /llm/delete and /llm/models, and of
// /llm/test.
type LLMProfileRequest struct {
	Profile string `json:"profile"`
}

// LLMModel is a model that a provider offers.
type LLMModel struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Context is its window in tokens; 0 when the provider does not say.
	Context int `json:"context,omitempty"`
}

// LLMModelsReply is the reply of POST /llm/models.
type LLMModelsReply struct {
	Models []LLMModel `json:"models"`
}

// LLMVerdict is the reply of POST /llm/test: whether a profile works.
type LLMVerdict struct {
	OK bool `json:"ok"`
	// Message says it in words, with what to do.
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Millis is how long the model took for one word.
	Millis int64 `json:"millis"`
}

// LLMLocal is a model server that was found on this machine.
type LLMLocal struct {
	Provider LLMProvider `json:"provider"`
	Name     string      `json:"name"`
	URL      string      `json:"url"`
	Models   []LLMModel  `json:"models"`
}

// LLMLocalReply is the reply of POST /llm/local.
type LLMLocalReply struct {
	Found []LLMLocal `json:"found"`
}
