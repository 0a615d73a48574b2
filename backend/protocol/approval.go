package protocol

import "time"

// ActionKind is what a command does, as far as the user can decide about it.
type ActionKind string

// The kinds of action. A rule about ActionSensitive covers all kinds after it
// that have no rule of their own.
const (
	ActionOpen        ActionKind = "open"        // open an address
	ActionAct         ActionKind = "act"         // click, type, change the page
	ActionSensitive   ActionKind = "sensitive"   // all kinds below, and sensitive commands without a kind
	ActionEval        ActionKind = "eval"        // run code in the page
	ActionCookies     ActionKind = "cookies"     // values of cookies and storage
	ActionDownload    ActionKind = "download"    // save a file of the page
	ActionUpload      ActionKind = "upload"      // give the page a file
	ActionClipboard   ActionKind = "clipboard"   // read or write the clipboard
	ActionPermissions ActionKind = "permissions" // give the page camera, location, …
	ActionSecret      ActionKind = "secret"      // use a secret of the user
	// The consequence of an action on a page, as far as the page shows it. A task
	// asks the user unless a rule says otherwise; other agents ask only where a
	// rule says so.
	ActionSend   ActionKind = "send"    // send or publish something
	ActionPay    ActionKind = "pay"     // pay or order
	ActionDelete ActionKind = "delete"  // delete something
	ActionSignIn ActionKind = "sign_in" // send a form with a password
	ActionData   ActionKind = "data"    // enter data on another site than the task began on
	// ActionTool is the use of an agent's own tool. Site rules do not apply to it.
	ActionTool ActionKind = "tool"
)

// ActionKinds returns all kinds, in the order in which a user reads them.
func ActionKinds() []ActionKind {
	return []ActionKind{
		ActionOpen, ActionAct, ActionSensitive, ActionEval, ActionCookies,
		ActionDownload, ActionUpload, ActionClipboard, ActionPermissions, ActionSecret,
		ActionSend, ActionPay, ActionDelete, ActionSignIn, ActionData,
	}
}

// SiteDecision is the decision of a rule.
type SiteDecision string

// The decisions.
const (
	SiteAllow SiteDecision = "allow"
	SiteAsk   SiteDecision = "ask"
	SiteDeny  SiteDecision = "deny"
)

// SiteRule says what agents may do on a site. Rules do not apply to the user.
type SiteRule struct {
	// Site is "*" for every page, "example.com" for that host on any port,
	// "*.example.com" for the host and all its subdomains, or an origin such as
	// "https://example.com:8443".
	Site     string       `json:"site"`
	Kind     ActionKind   `json:"kind"`
	Decision SiteDecision `json:"decision"`
	// Default marks a built-in rule: a user's rule can replace it, but it cannot
	// be removed.
	Default bool `json:"default,omitempty"`
}

// SiteRulesFile is rules.json in a session's folder. It has mode 0600 and is
// written atomically.
type SiteRulesFile struct {
	Version int        `json:"version"`
	Rules   []SiteRule `json:"rules"`
}

// TrustQuestion is the command of the question whether an agent may use the settings of
// the folder in which it would start.
const TrustQuestion = "trust"

// ServerQuestion is the command of the question whether an agent may start one of the
// user's own MCP servers.
const ServerQuestion = "mcp-server"

// Approval is something that waits for the user's approval. Clients show its
// Words and make none of their own, so that all of them show the same.
type Approval struct {
	// ID is valid for one answer and cannot be guessed.
	ID      string      `json:"id"`
	Session SessionName `json:"session"`
	Actor   Actor       `json:"actor"`
	// Tab and URL are the page that it is about. Origin is the part of URL by
	// which the user judges; empty when it is not about a page.
	Tab    TabID  `json:"tab,omitempty"`
	URL    string `json:"url,omitempty"`
	Origin string `json:"origin"`
	// Command and Args are what would be done, in full. For ActionTool the command
	// is the tool's own title. Clients get the Args as Words.
	Command string        `json:"command"`
	Args    []ApprovalArg `json:"-"`
	Kind    ActionKind    `json:"kind"`
	// Target is the element that would be acted on; nil when there is none or it
	// is not known. Clients get it as Words.
	Target *TargetFacts `json:"-"`
	// Words is the question in plain English. The broker sets it when it asks.
	Words ApprovalWords `json:"words"`
	// Site is the site for which "always" would make a rule. It is empty when the
	// page has no site; then "always" is not offered.
	Site string `json:"site,omitempty"`
	// Conversation is set for a question of a conversation's agent about a tool of
	// its own. Options are the answers that it offers.
	Conversation ConversationID     `json:"conversation,omitempty"`
	Options      []PermissionOption `json:"options,omitempty"`
	// Login is set when a server asks for a user name and a password. Only the panel
	// answers such a question, with a LoginAnswer; elsewhere it can be denied.
	Login *LoginAsk `json:"login,omitempty"`
	Since time.Time `json:"since"`
	// Expires is when the caller stops waiting.
	Expires time.Time `json:"expires"`
}

// ApprovalWords is a question in plain English. It contains text of pages and
// agents. The code that shows it must make it safe for the place: one line, no
// control characters, no bidirectional formatting characters.
type ApprovalWords struct {
	// Sentence is the whole question: "Claude Code in Chat wants to run JavaScript
	// on https://example.com".
	Sentence string `json:"sentence"`
	// Who asks: "Your terminal in t1", "Claude Code in Chat", or the task's whole
	// title.
	Who string `json:"who"`
	// What would be done, as a phrase after "wants to": "click “Buy now”".
	What string `json:"what"`
	// Where it would be done: an origin, or "this computer"; empty when it is not
	// about a page.
	Where string `json:"where,omitempty"`
	// Effect is a sentence about what the action may cause; empty when What says it
	// already.
	Effect string `json:"effect,omitempty"`
	// Details is everything that What leaves out: arguments in full, where a link
	// leads and what a form sends. An interface in which the user can allow
	// something has to show them, or offer to.
	Details []ApprovalArg `json:"details,omitempty"`
	// May is what a lasting answer lets agents do, as a phrase after "agents may".
	May string `json:"may"`
}

// Waiting is what a caller gets while its command waits for the user: the
// question, without the ID that an answer needs, and without what only the page
// knows, such as the values in a form.
type Waiting struct {
	Session SessionName   `json:"session"`
	Actor   Actor         `json:"actor"`
	Tab     TabID         `json:"tab,omitempty"`
	Origin  string        `json:"origin"`
	Command string        `json:"command"`
	Args    []ApprovalArg `json:"args,omitempty"`
	Kind    ActionKind    `json:"kind"`
	// Sentence is the one of ApprovalWords.
	Sentence string    `json:"sentence"`
	Expires  time.Time `json:"expires"`
}

// Waiting returns the part of a question that its caller may know.
func (a Approval) Waiting() Waiting {
	return Waiting{
		Session: a.Session, Actor: a.Actor, Tab: a.Tab, Origin: a.Origin, Command: a.Command, Args: a.Args, Kind: a.Kind, Sentence: a.Words.Sentence, Expires: a.Expires,
	}
}

// ApprovalArg is one argument of a command that waits, in full.
type ApprovalArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ApprovalAnswerRequest answers an approval.
type ApprovalAnswerRequest struct {
	ID     string         `json:"id"`
	Answer ApprovalAnswer `json:"answer"`
}

// PermissionOption is one answer that an agent offers.
type PermissionOption struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is once, always or deny.
	Kind ApprovalAnswer `json:"kind"`
	// Scope describes what "always" covers.
	Scope string `json:"scope,omitempty"`
}

// ApprovalAnswer is the user's answer.
type ApprovalAnswer string

// The answers.
const (
	AnswerOnce ApprovalAnswer = "once"
	// AnswerAlways adds a rule for the site and the kind to this session.
	AnswerAlways ApprovalAnswer = "always"
	// AnswerTask allows a task this kind of action on this site until the task
	// ends. It is an answer to questions of tasks only.
	AnswerTask ApprovalAnswer = "task"
	AnswerDeny ApprovalAnswer = "deny"
)
