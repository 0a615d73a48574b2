package protocol

// TargetFacts are the facts about an element from which the consequence of an
// action on it is judged. All texts are the page's own.
type TargetFacts struct {
	Role string `json:"role"`
	Name string `json:"name"`
	// Type is the type of a button or field.
	Type     string `json:"type"`
	Href     string `json:"href,omitempty"`
	Download bool   `json:"download,omitempty"`
	// Submits: a click, or Enter in a field, submits the form.
	Submits bool `json:"submits,omitempty"`
	Field   bool `json:"field,omitempty"`  // it accepts text
	Search  bool `json:"search,omitempty"` // it is a search field
	// Message: it is a field in which users write messages.
	Message bool `json:"message,omitempty"`
	// Password: the page shows a password field.
	Password bool       `json:"password,omitempty"`
	Form     *FormFacts `json:"form,omitempty"`
	// Frame is the origin of the frame that it is in, or the address of one without an
	// origin; empty in the page itself.
	Frame string `json:"-"`
}

// FormFacts are the facts about the form of an element.
type FormFacts struct {
	Action   string     `json:"action"` // the address that it is submitted to
	Method   string     `json:"method"`
	Button   string     `json:"button"` // the name of its submit button
	Password bool       `json:"password,omitempty"`
	Card     bool       `json:"card,omitempty"`
	Fields   []FormFact `json:"fields"` // the fields with a value; secrets are masked
}

// FormFact is one field of a form.
type FormFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ByPage asks only for permission. The app replied to the command with
// no_input, and the panel will carry it out with events made in the page, if
// the rules and the user allow it.
type ByPage struct {
	// Facts are about the element that the command would act on; nil for a command
	// without one.
	Facts *TargetFacts `json:"facts,omitempty"`
}

// ByPageLeave is the data of the reply that gives this permission.
type ByPageLeave struct {
	// URL is the page that was checked. The permission is for its site only.
	URL string `json:"url"`
	// To is the address that the tab may be navigated to, in full; for goto only.
	To string `json:"to,omitempty"`
}
