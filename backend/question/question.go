// Package question says in plain English what waits for the user's approval:
// who asks, what would be done, what that may cause, and where. The question
// itself travels as data (protocol.Approval); the tray, notifications, the command
// line and MCP say it with this package, panel and window with
// frontend/ui/approvals. testdata has what both must say.
//
// The texts contain words of pages and agents. Whoever shows them makes them safe
// for the place: one line, no control characters, no marks that turn text around.
package question

import (
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// quoted is how many characters of a value stand in a sentence.
const quoted = 60

// Who says who asks: "Your terminal in t1", "Claude Code in Chat", the task's
// whole title.
func Who(a protocol.Actor) string {
	switch a.Kind {
	case protocol.ActorTerminal:
		if a.Agent == "" {
			return join("Your terminal", "in", string(a.Tab))
		}
		return join(a.Agent+" in the terminal", "of", string(a.Tab))
	case protocol.ActorChat:
		if a.Agent != "" {
			return a.Agent + " in Chat"
		}
		return "Chat"
	case protocol.ActorTask:
		if a.Title != "" {
			title := strings.NewReplacer("“", "\"", "”", "\"").Replace(a.Title)
			return "Task “" + title + "”"
		}
		return "A task"
	case protocol.ActorShell:
		return "A command in your shell"
	case protocol.ActorPerson:
		return "You"
	}
	return a.Name
}

func join(what, preposition, where string) string {
	if where == "" {
		return what
	}
	return what + " " + preposition + " " + where
}

// What says what would be done, to follow "wants to": "click “Buy now”".
func What(a protocol.Approval) string {
	return what(a).text
}

// Effect says in a sentence what doing it may cause; empty when What says it all.
func Effect(kind protocol.ActionKind) string {
	switch kind {
	case protocol.ActionSend:
		return "This may send or publish something."
	case protocol.ActionPay:
		return "This may pay for something or place an order."
	case protocol.ActionDelete:
		return "This may delete something."
	case protocol.ActionSignIn:
		return "This sends a form with a password."
	case protocol.ActionData:
		return "The task did not start on this site and would enter data there."
	case protocol.ActionOpen, protocol.ActionAct, protocol.ActionSensitive, protocol.ActionEval, protocol.ActionCookies,
		protocol.ActionDownload, protocol.ActionUpload, protocol.ActionClipboard, protocol.ActionPermissions, protocol.ActionTool:
	}
	return ""
}

// Where says where it would be done: an origin, or this computer; empty when it is
// about no page.
func Where(a protocol.Approval) string {
	if a.Kind == protocol.ActionTool {
		return "this computer"
	}
	return a.Origin
}

// May says what a rule about a kind of action lets agents do, to follow "agents
// may".
func May(kind protocol.ActionKind) string {
	switch kind {
	case protocol.ActionOpen:
		return "open pages"
	case protocol.ActionAct:
		return "use pages"
	case protocol.ActionEval:
		return "run JavaScript"
	case protocol.ActionCookies:
		return "read and change cookies and stored data"
	case protocol.ActionDownload:
		return "download files"
	case protocol.ActionUpload:
		return "upload files"
	case protocol.ActionClipboard:
		return "use the clipboard"
	case protocol.ActionPermissions:
		return "change what the site may use, such as the camera"
	case protocol.ActionSend:
		return "send or publish things"
	case protocol.ActionPay:
		return "pay and place orders"
	case protocol.ActionDelete:
		return "delete things"
	case protocol.ActionSignIn:
		return "send forms with a password"
	case protocol.ActionData:
		return "enter data"
	case protocol.ActionTool:
		return "use their own tools"
	case protocol.ActionSensitive:
	}
	return "do sensitive things"
}

// Sentence is the whole question in one line: "Claude Code in Chat wants to run
// JavaScript on https://example.com".
func Sentence(a protocol.Approval) string {
	return join(Who(a.Actor)+" wants to "+What(a), "on", Where(a))
}

// Request is Sentence without who asks: "Run JavaScript on https://example.com".
func Request(a protocol.Approval) string {
	text := join(What(a), "on", Where(a))
	return strings.ToUpper(text[:1]) + text[1:] // What begins with a plain letter
}

// Details are all that What leaves out: arguments in full, where a link leads and
// what a form sends. Whoever lets the user allow something shows them, or lets
// them be shown.
func Details(a protocol.Approval) []protocol.ApprovalArg {
	s := what(a)
	var rest []protocol.ApprovalArg
	if s.cut {
		rest = append(rest, protocol.ApprovalArg{Name: "tool", Value: a.Command})
	}
	for _, arg := range a.Args {
		if !slices.Contains(s.said, arg.Name) {
			rest = append(rest, arg)
		}
	}
	t := a.Target
	if t == nil {
		return rest
	}
	if _, whole := enquote(t.Name); !whole {
		rest = append(rest, protocol.ApprovalArg{Name: "element", Value: t.Name})
	}
	if t.Href != "" {
		rest = append(rest, protocol.ApprovalArg{Name: "link", Value: t.Href})
	}
	if t.Form == nil {
		return rest
	}
	if t.Submits && t.Form.Action != "" {
		rest = append(rest, protocol.ApprovalArg{Name: "form sent to", Value: t.Form.Action})
	}
	var lines []string
	for _, field := range t.Form.Fields {
		lines = append(lines, field.Name+": "+field.Value)
	}
	if len(lines) > 0 {
		rest = append(rest, protocol.ApprovalArg{Name: "form fields", Value: strings.Join(lines, "\n")})
	}
	return rest
}

// say builds What: it notes which arguments stand in it whole.
type say struct {
	a    protocol.Approval
	text string
	said []string
	// cut: the tool's title did not fit.
	cut bool
}

// arg is an argument as it was given.
func (s *say) arg(name string) string {
	for _, arg := range s.a.Args {
		if arg.Name == name {
			return arg.Value
		}
	}
	return ""
}

// quote is an argument in quotes, shortened to what fits a sentence.
func (s *say) quote(name string) string {
	text, whole := enquote(s.arg(name))
	if whole {
		s.said = append(s.said, name)
	}
	return text
}

// enquote puts a text of a page or an agent in quotes that it cannot close, in one
// line that fits a sentence; whole says whether all of it stands there.
func enquote(text string) (said string, whole bool) {
	line := strings.Join(strings.Fields(text), " ")
	line = strings.NewReplacer("“", "\"", "”", "\"", "„", "\"").Replace(line)
	if runes := []rune(line); len(runes) > quoted {
		line = string(runes[:quoted-1]) + "…"
	}
	return "“" + line + "”", line == text
}

// element names what is acted on: as the page does where that is known, otherwise
// as the command did.
func (s *say) element() string {
	t := s.a.Target
	switch {
	case t != nil && t.Name != "":
		s.said = append(s.said, "target")
		name, _ := enquote(t.Name)
		return name
	case t != nil:
		s.said = append(s.said, "target")
		return unnamed(t.Role)
	case s.arg("target") != "":
		return s.quote("target")
	}
	return "something"
}

func unnamed(noun string) string {
	if noun == "" || noun == "generic" {
		return "something without a name"
	}
	return "an unnamed " + noun
}

// what makes What, and notes the arguments that stand in it whole.
func what(a protocol.Approval) *say {
	s := &say{a: a}
	s.text = s.what()
	return s
}

func (s *say) what() string {
	if s.a.Kind == protocol.ActionTool {
		title, whole := enquote(s.a.Command)
		s.cut = !whole
		return "use the tool " + title
	}
	switch s.a.Command {
	case "goto":
		return s.opens("open a page")
	case "newtab":
		return s.opens("open a page in a new tab")
	case "click":
		if s.a.Kind == protocol.ActionDownload {
			return "download a file with " + s.element()
		}
		return "click " + s.element()
	case "dblclick":
		return "double-click " + s.element()
	case "hover":
		return "point at " + s.element()
	case "fill", "type":
		if s.a.Target != nil && s.a.Target.Type == "password" {
			s.said = append(s.said, "value")
			return "type a password into " + s.element()
		}
		return "type " + s.quote("value") + " into " + s.element()
	case "press":
		if s.a.Target == nil && s.arg("target") == "" {
			return "press " + s.quote("key")
		}
		return "press " + s.quote("key") + " in " + s.element()
	case "select":
		return "choose " + s.quote("value") + " in " + s.element()
	case "check":
		return "switch on " + s.element()
	case "uncheck":
		return "switch off " + s.element()
	case "upload":
		return "upload " + s.quote("files") + " to " + s.element()
	case "download":
		return "download a file with " + s.element()
	case "clipboard":
		if s.arg("text") == "" {
			return "read the clipboard"
		}
		return "write " + s.quote("text") + " to the clipboard"
	case "eval":
		if code := s.quote("expression"); slices.Contains(s.said, "expression") && s.arg("expression") != "" {
			return "run the JavaScript " + code
		}
		return "run JavaScript"
	case "cookies":
		return s.stored("cookies")
	case "storage":
		return s.stored("data that the page stores")
	case "state":
		switch s.arg("do") {
		case "load":
			return "put back saved cookies and stored data"
		case "save":
			return "save cookies and stored data to a file"
		case "delete":
			return "delete saved cookies and stored data"
		}
		return "list saved cookies and stored data"
	case "permissions":
		if s.arg("name") != "" && s.arg("do") != "" {
			s.said = append(s.said, "do")
			return s.arg("do") + " the permission " + s.quote("name")
		}
		return "change what the site may use, such as the camera"
	case "cdp":
		return "send the DevTools command " + s.quote("method")
	}
	return "run the command “" + s.a.Command + "”"
}

// opens: an address that is no more than the origin is said by Where.
func (s *say) opens(text string) string {
	if url := s.arg("url"); url == s.a.Origin || url == s.a.Origin+"/" {
		s.said = append(s.said, "url")
	}
	return text
}

func (s *say) stored(what string) string {
	s.said = append(s.said, "do")
	switch s.arg("do") {
	case "", "list", "get":
		return "read " + what
	case "set":
		return "change " + what
	}
	return "delete " + what
}
