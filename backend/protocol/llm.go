package protocol

// LLMProvider is a provider of models.
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
	LLMCompatible LLMProvider = "compatible" // any server with OpenAI's chat completions API
	LLMOllama     LLMProvider = "ollama"
	LLMLMStudio   LLMProvider = "lmstudio"
	LLMLlamaCpp   LLMProvider = "llamacpp"
)

// LLMDialect is the wire format of a provider.
type LLMDialect string

// The dialects.
const (
	DialectAnthropic LLMDialect = "anthropic" // /v1/messages
	DialectOpenAI    LLMDialect = "openai"    // /chat/completions
)

// LLMProviderInfo is a provider as shown in Settings.
type LLMProviderInfo struct {
	Provider LLMProvider `json:"provider"`
	Name     string      `json:"name"`
	Dialect  LLMDialect  `json:"dialect"`
	// URL is the address of its API unless a profile has another; empty when the
	// profile must have one.
	URL string `json:"url,omitempty"`
	// NeedsKey is set when the provider needs a key.
	NeedsKey bool `json:"needsKey"`
	// KeyURL is the page where a user gets a key.
	KeyURL string `json:"keyUrl,omitempty"`
}

// LLMProfile is a model profile: one way to reach one model. It never contains
// the key.
type LLMProfile struct {
	// ID is assigned by the backend when it is empty.
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Provider LLMProvider `json:"provider"`
	// URL replaces the provider's URL; required for azure and compatible.
	URL   string `json:"url,omitempty"`
	Model string `json:"model"`
	// Vision is set when the model accepts images.
	Vision bool `json:"vision,omitempty"`
	// For are the kinds of task that the profile is used for: ForTask (the
	// default), ForProgram, ForSummary. If several profiles have the same kind,
	// the first is used. A kind without a profile uses the one for ForTask.
	For []string `json:"for"`
	// Keyed: the user has entered a key for the profile. If the key is gone,
	// because it was kept for one run only, the user is asked for it again, even
	// if the provider needs none.
	Keyed bool `json:"keyed,omitempty"`
	// Dialect and HasKey, like Keyed, are set by the backend and ignored in
	// requests.
	Dialect LLMDialect `json:"dialect"`
	HasKey  bool       `json:"hasKey"`
	// KeyKept is where the key is stored: "keychain", or "memory" (it is lost when
	// Pilotfish ends); empty without a key.
	KeyKept string `json:"keyKept,omitempty"`
}

// The kinds of task that a profile is for.
const (
	ForTask    = "task"    // a task of the user in the panel
	ForProgram = "program" // a task of a program: the command line, an agent
	ForSummary = "summary" // summaries of old steps
)

// LLMState is the reply of POST /llm/profiles, and of the routes that change
// the profiles.
type LLMState struct {
	Profiles  []LLMProfile      `json:"profiles"`
	Providers []LLMProviderInfo `json:"providers"`
	// Keychain is set when keys are stored beyond the end of the app; otherwise
	// the user is informed that they are not.
	Keychain bool `json:"keychain"`
}

// ModelsEvent reports that the model profiles changed, in this panel or
// elsewhere. A panel that shows them requests them again.
type ModelsEvent struct {
	Type PanelEventType `json:"type" tstype:"'models'"`
}

// LLMSaveRequest is the body of POST /llm/save: a new or changed profile, and
// its key if that changes.
type LLMSaveRequest struct {
	Profile LLMProfile `json:"profile"`
	// Key replaces the profile's key; null keeps it, empty deletes it.
	Key *string `json:"key,omitempty"`
}

// LLMProfileRequest is the body of POST /llm/delete, /llm/models and /llm/test.
type LLMProfileRequest struct {
	Profile string `json:"profile"`
}

// LLMModel is a model that a provider offers.
type LLMModel struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Context is the size of its context window in tokens; 0 when the provider
	// does not report it.
	Context int `json:"context,omitempty"`
}

// LLMModelsReply is the reply of POST /llm/models.
type LLMModelsReply struct {
	Models []LLMModel `json:"models"`
}

// LLMVerdict is the reply of POST /llm/test: whether a profile works.
type LLMVerdict struct {
	OK bool `json:"ok"`
	// Message describes the result, Hint what to do.
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Millis is how long the model took to answer with one word, in milliseconds.
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
