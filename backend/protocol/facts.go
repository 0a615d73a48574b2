package protocol

// TargetFacts are what an element is, by which it is judged what acting on it
// would set off. All texts are the page's own.
type TargetFacts struct {
	Role string `json:"role"`
	Name string `json:"name"`
	// Type is that of a button or field.
	Type     string `json:"type"`
	Href     string `json:"href,omitempty"`
	Download bool   `json:"download,omitempty"`
	// Submits: a click, or Enter in a field, sends the form.
	Submits bool `json:"submits,omitempty"`
	Field   bool `json:"field,omitempty"`  // it takes text
	Search  bool `json:"search,omitempty"` // it is for a search
	// Message: a message is written in it.
	Message bool `json:"message,omitempty"`
	// Password: the page shows a field for one.
	Password bool       `json:"password,omitempty"`
	Form     *FormFacts `json:"form,omitempty"`
}

// FormFacts are what the form of an element is.
type FormFacts struct {
	Action   string     `json:"action"` // where it is sent
	Method   string     `json:"method"`
	Button   string     `json:"button"` // what its button says
	Password bool       `json:"password,omitempty"`
	Card     bool       `json:"card,omitempty"`
	Fields   []FormFact `json:"fields"` // those that hold something; secrets are masked
}

// FormFact is one field.
type FormFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ByPage asks for leave only: the app answered the command with no_input, and the
// panel does it by the page's own events, if the rules and the person let it.
type ByPage struct {
	// Facts are what the command would act on; nil for what acts on nothing.
	Facts *TargetFacts `json:"facts,omitempty"`
}

// ByPageLeave is the data of the reply that gives it.
type ByPageLeave struct {
	// URL is the page that was judged; it holds for no other site.
	URL string `json:"url"`
	// To is the address that the tab may be brought to, in full; for goto only.
	To string `json:"to,omitempty"`
}
