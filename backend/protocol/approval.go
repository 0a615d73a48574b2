package protocol

import "time"

// ActionKind is what a command does, as far as a person decides about it.
type ActionKind string

// The kinds of action. Those after ActionSensitive have a name of their own; a
// rule about ActionSensitive is about all of them.
const (
	ActionOpen        ActionKind = "open"        // open an address
	ActionAct         ActionKind = "act"         // click, type, change the page
	ActionSensitive   ActionKind = "sensitive"   // anything below, and what has no name
	ActionEval        ActionKind = "eval"        // run code in the page
	ActionCookies     ActionKind = "cookies"     // values of cookies and storage
	ActionDownload    ActionKind = "download"    // save a file of the page
	ActionUpload      ActionKind = "upload"      // give the page a file
	ActionClipboard   ActionKind = "clipboard"   // read or write the clipboard
	ActionPermissions ActionKind = "permissions" // give the page camera, location, …
	// What acting on a page would cause, as far as the page tells: a task asks the
	// user unless a rule says otherwise, other agents only where a rule says so.
	ActionSend   ActionKind = "send"    // send or publish something
	ActionPay    ActionKind = "pay"     // pay or order
	ActionDelete ActionKind = "delete"  // delete something
	ActionSignIn ActionKind = "sign_in" // send a form with a password
	ActionData   ActionKind = "data"    // enter data on another site than it began on
	// ActionTool is a tool of an agent's own. No site rule is about it.
	ActionTool ActionKind = "tool"
)

// ActionKinds are all kinds, in the order in which a person reads them.
func ActionKinds() []ActionKind {
	return []ActionKind{
		ActionOpen, ActionAct, ActionSensitive, ActionEval, ActionCookies,
		ActionDownload, ActionUpload, ActionClipboard, ActionPermissions,
		ActionSend, ActionPay, ActionDelete, ActionSignIn, ActionData,
	}
}

// SiteDecision is what a rule says.
type SiteDecision string

// The decisions.
const (
	SiteAllow SiteDecision = "allow"
	SiteAsk   SiteDecision = "ask"
	SiteDeny  SiteDecision = "deny"
)

// SiteRule says what agents may do on a site. A person is bound by none.
type SiteRule struct {
	// Site is "*" for every page, "example.com" for that host on any port,
	// "*.example.com" for it and all hosts below it, or an origin such as
	// "https://example.com:8443".
	Site     string       `json:"site"`
	Kind     ActionKind   `json:"kind"`
	Decision SiteDecision `json:"decision"`
	// Default marks a rule that nobody made: it can be overruled and not removed.
	Default bool `json:"default,omitempty"`
}

// SiteRulesFile is rules.json in a session's folder. Mode 0600, written whole or
// not at all.
type SiteRulesFile struct {
	Version int        `json:"version"`
	Rules   []SiteRule `json:"rules"`
}

// Approval is something that waits for the user's approval, as data: each client
// says it in its own words (backend/question, frontend/ui/approvals). Actor, Target
// and Args have texts of agents and pages in them.
type Approval struct {
	// ID is good for one answer and cannot be guessed.
	ID      string      `json:"id"`
	Session SessionName `json:"session"`
	Actor   Actor       `json:"actor"`
	// Tab and URL are the page that it is about; Origin is the part of URL to judge
	// by, empty when it is about no page.
	Tab    TabID  `json:"tab,omitempty"`
	URL    string `json:"url,omitempty"`
	Origin string `json:"origin"`
	// Command and Args are what would be done, in full. Of ActionTool the command is
	// the tool's own title.
	Command string        `json:"command"`
	Args    []ApprovalArg `json:"args,omitempty"`
	Kind    ActionKind    `json:"kind"`
	// Target is the element that would be acted on; nil when none is, or when it is
	// not known.
	Target *TargetFacts `json:"target,omitempty"`
	// Site is what "always" would be for; empty when the page has no site, and
	// then there is no "always".
	Site string `json:"site,omitempty"`
	// Conversation is set for a question of a conversation's agent about a tool of
	// its own, and Options are the answers that it offers.
	Conversation ConversationID     `json:"conversation,omitempty"`
	Options      []PermissionOption `json:"options,omitempty"`
	Since        time.Time          `json:"since"`
	// Expires is when the caller gives up.
	Expires time.Time `json:"expires"`
}

// Waiting is what a caller is told while its command waits for the user: what was
// asked, and not the ID by which it is answered.
type Waiting struct {
	Session SessionName   `json:"session"`
	Actor   Actor         `json:"actor"`
	Tab     TabID         `json:"tab,omitempty"`
	Origin  string        `json:"origin"`
	Command string        `json:"command"`
	Args    []ApprovalArg `json:"args,omitempty"`
	Kind    ActionKind    `json:"kind"`
	Target  *TargetFacts  `json:"target,omitempty"`
	Expires time.Time     `json:"expires"`
}

// Waiting is what the asker may know of a question.
func (a Approval) Waiting() Waiting {
	w := Waiting{
		Session: a.Session, Actor: a.Actor, Tab: a.Tab, Origin: a.Origin, Command: a.Command, Args: a.Args, Kind: a.Kind, Expires: a.Expires,
	}
	if a.Target != nil {
		w.Target = &TargetFacts{Role: a.Target.Role, Name: a.Target.Name, Type: a.Target.Type}
	}
	return w
}

// Approval is the same as a question that can be said in words.
func (w Waiting) Approval() Approval {
	return Approval{
		Session: w.Session, Actor: w.Actor, Tab: w.Tab, Origin: w.Origin, Command: w.Command, Args: w.Args, Kind: w.Kind, Target: w.Target, Expires: w.Expires,
	}
}

// ApprovalArg is one argument of a command that waits, in full.
type ApprovalArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ApprovalAnswer is how the user answers.
type ApprovalAnswer string

// The answers.
const (
	AnswerOnce ApprovalAnswer = "once"
	// AnswerAlways makes a rule for the site and the kind, in this session.
	AnswerAlways ApprovalAnswer = "always"
	// AnswerTask lets a task do this kind of thing on this site until it is over. It
	// answers questions of tasks only.
	AnswerTask ApprovalAnswer = "task"
	AnswerDeny ApprovalAnswer = "deny"
)
