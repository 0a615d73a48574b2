// Package question puts a request for the user's approval into plain English:
// who asks, what would be done, what that may cause, and where. The broker of
// approvals does so once for each question, and everything that shows the
// question shows these words.
package question

import (
	"context"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Asker asks the user a question and waits for the answer; policy.Broker does.
type Asker interface {
	Ask(ctx context.Context, question protocol.Approval) (protocol.ApprovalAnswer, error)
}

// quoted is how many characters of a value are quoted in a sentence.
const quoted = 60

// Words returns the question in plain English.
func Words(a protocol.Approval) protocol.ApprovalWords {
	s := &say{a: a}
	w := protocol.ApprovalWords{Who: who(a.Actor), What: s.what(), Where: a.Origin, Effect: s.effect(), May: May(a.Kind)}
	if a.Kind == protocol.ActionTool {
		w.Where = "this computer"
	}
	w.Details = s.details()
	switch {
	case a.Login != nil && a.Actor.Kind == protocol.ActorUser:
		w.Sentence = w.Where + " asks for a user name and a password"
	case w.Where == "":
		w.Sentence = w.Who + " wants to " + w.What
	default:
		w.Sentence = w.Who + " wants to " + w.What + " on " + w.Where
	}
	return w
}

// who returns who asks.
func who(a protocol.Actor) string {
	switch a.Kind {
	case protocol.ActorTerminal:
		switch {
		case a.Agent == "" && a.Tab == "":
			return "Your terminal"
		case a.Agent == "":
			return "Your terminal in " + string(a.Tab)
		case a.Tab == "":
			return a.Agent + " in the terminal"
		}
		return a.Agent + " in the terminal of " + string(a.Tab)
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
	case protocol.ActorMCP:
		return a.Agent + " over MCP"
	case protocol.ActorShell:
		return "A command in your shell"
	case protocol.ActorUser:
		return "A command of yours"
	}
	return a.Name
}

// effect returns a sentence about what the action may cause; empty when what
// says it already.
func (s *say) effect() string {
	a := s.a
	if a.Command == protocol.TrustQuestion && a.Kind != protocol.ActionTool {
		return "They can run programs as you. You are asked again when they change. If you deny it, the agent starts in a folder of Pilotfish's own."
	}
	if a.Command == protocol.ServerQuestion && a.Kind != protocol.ActionTool {
		if s.arg("address") != "" {
			return "It is a server that the agent connects to: what the agent sends there leaves this computer."
		}
		return "It is a program that runs as you, and the agent can use everything that it offers."
	}
	if a.Command == protocol.ToolQuestion && a.Kind != protocol.ActionTool {
		return "The server gets these arguments. Pilotfish does not know what the tool does."
	}
	if a.Actor.Kind == protocol.ActorShell {
		return "An agent runs that is not confined, so Pilotfish cannot be sure that you asked."
	}
	if a.Login != nil {
		return "You type them in the panel. No agent sees them."
	}
	switch a.Kind {
	case protocol.ActionSend:
		return "This may send or publish something."
	case protocol.ActionPay:
		return "This may pay for something or place an order."
	case protocol.ActionDelete:
		return "This may delete something."
	case protocol.ActionSignIn:
		return "This sends a form with a password."
	case protocol.ActionData:
		return "It did not start on this site and would give data to it."
	case protocol.ActionSecret:
		return "Pilotfish enters it. The agent does not see the value."
	case protocol.ActionOpen, protocol.ActionAct, protocol.ActionSensitive, protocol.ActionEval, protocol.ActionCookies,
		protocol.ActionDownload, protocol.ActionUpload, protocol.ActionClipboard, protocol.ActionPermissions, protocol.ActionTool:
	}
	return ""
}

// details returns everything that what leaves out. Call what first.
func (s *say) details() []protocol.ApprovalArg {
	a := s.a
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

// say builds the text of what and records which arguments it contains in full.
type say struct {
	a    protocol.Approval
	said []string
	// cut: the tool's title was shortened.
	cut bool
}

// arg returns the value of an argument.
func (s *say) arg(name string) string {
	for _, arg := range s.a.Args {
		if arg.Name == name {
			return arg.Value
		}
	}
	return ""
}

// quote returns an argument in quotes, shortened to fit a sentence.
func (s *say) quote(name string) string {
	text, whole := enquote(s.arg(name))
	if whole {
		s.said = append(s.said, name)
	}
	return text
}

// enquote quotes text of a page or an agent, on one line that fits a sentence.
// The text cannot close the quotes. whole reports whether it contains all of
// the text.
func enquote(text string) (said string, whole bool) {
	line := strings.Join(strings.Fields(text), " ")
	line = strings.NewReplacer("“", "\"", "”", "\"", "„", "\"").Replace(line)
	if runes := []rune(line); len(runes) > quoted {
		line = string(runes[:quoted-1]) + "…"
	}
	return "“" + line + "”", line == text
}

// element names the element: by its name on the page if that is known,
// otherwise as the command named it.
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

// what returns what would be done, and records the arguments that it contains in
// full.
func (s *say) what() string {
	if s.a.Kind == protocol.ActionTool {
		title, whole := enquote(s.a.Command)
		s.cut = !whole
		return "use the tool " + title
	}
	if s.a.Kind == protocol.ActionDownload && s.arg("file") != "" {
		return "download " + s.quote("file")
	}
	if s.a.Kind == protocol.ActionSecret {
		return s.secret()
	}
	switch s.a.Command {
	case protocol.LoginQuestion:
		return "log in with a user name and a password"
	case "goto":
		if s.a.Kind == protocol.ActionData {
			return s.opens("open a page with data in its address")
		}
		return s.opens("open a page")
	case "newtab":
		if s.a.Kind == protocol.ActionData {
			return s.opens("open a page in a new tab with data in its address")
		}
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
	case "record":
		if s.a.Kind != protocol.ActionSensitive {
			break
		}
		s.said = append(s.said, "do")
		return "replace the routine " + s.quote("name") + " of another owner"
	case "dialog":
		return "answer a dialog with " + s.quote("text")
	case "headers":
		return "send its own headers with every request of the tab"
	case "useragent":
		return "send its own user agent with every request of the tab"
	case "network":
		if s.a.Kind != protocol.ActionEval {
			break
		}
		s.said = append(s.said, "do")
		if s.a.Origin == "" {
			return "run code on every site by its own answers to requests for " + s.quote("what")
		}
		return "run code by its own answers to requests" // Words.Where says to which site, the details the pattern
	case "terminal":
		return s.terminal()
	case "app":
		return s.app()
	case "schedule":
		s.said = append(s.said, "action", "schedule")
		return "change what Pilotfish runs by itself: " + s.arg("action") + " the schedule " + s.quote("schedule")
	case "secret":
		return s.keeps()
	case "signins":
		return s.signIns()
	case "rules":
		return "change what agents may do on which sites"
	case protocol.TrustQuestion:
		return "use the settings for agents in " + s.quote("folder")
	case protocol.ServerQuestion:
		if s.arg("address") != "" {
			return "use your MCP server " + s.quote("server") + " at " + s.quote("address")
		}
		return "start your MCP server " + s.quote("server") + " with " + s.quote("command")
	case protocol.ToolQuestion:
		return "use the tool " + s.quote("tool") + " of your MCP server " + s.quote("server")
	case "cdp":
		return "send the DevTools command " + s.quote("method")
	}
	return "run the command “" + s.a.Command + "”"
}

// app says what is done with a session, or with the app.
func (s *say) app() string {
	s.said = append(s.said, "action", "data")
	switch action := s.arg("action"); action {
	case "quit":
		return "quit Pilotfish"
	case "rotate-tokens":
		return "give every panel a new token"
	case "restart-server":
		return "restart Pilotfish's server"
	case "clients":
		return "change which programs are connected to Pilotfish"
	case "stored":
		return "delete stored data: " + s.quote("data")
	default:
		return action + " the session " + s.quote("session")
	}
}

// opens returns text. An address that is only the origin counts as said,
// because Words.Where says it.
func (s *say) opens(text string) string {
	if url := s.arg("url"); url == s.a.Origin || url == s.a.Origin+"/" {
		s.said = append(s.said, "url")
	}
	return text
}
