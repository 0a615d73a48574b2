package question_test

import (
	"slices"
	"testing"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// args returns arguments from their names and values.
func args(texts ...string) (list []protocol.ApprovalArg) {
	for pair := range slices.Chunk(texts, 2) {
		list = append(list, protocol.ApprovalArg{Name: pair[0], Value: pair[1]})
	}
	return list
}

func TestQuestionsAreSaidInWords(t *testing.T) {
	chat := protocol.Actor{Kind: protocol.ActorChat, Agent: "Claude Code"}
	terminal := protocol.Actor{Kind: protocol.ActorTerminal, Agent: "Claude Code", Tab: "t1"}
	shell := protocol.Actor{Kind: protocol.ActorShell}
	for _, c := range []struct {
		approval protocol.Approval
		sentence string
		effect   string
		details  []protocol.ApprovalArg
	}{
		{
			protocol.Approval{Actor: chat, Origin: "https://shop.example", Command: protocol.LoginQuestion, Kind: protocol.ActionSignIn, Login: &protocol.LoginAsk{}},
			"Claude Code in Chat wants to log in with a user name and a password on https://shop.example",
			"You type them in the panel. No agent sees them.", nil,
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://shop.example", Command: "fill", Kind: protocol.ActionSecret, Args: args("target", "e4", "secret", "shop"), Target: &protocol.TargetFacts{Role: "textbox", Name: "Password", Type: "password"}},
			"Claude Code in the terminal of t1 wants to use the secret “shop” in “Password” on https://shop.example",
			"Pilotfish enters it. The agent does not see the value.", nil,
		},
		{
			protocol.Approval{Actor: shell, Command: "signins", Kind: protocol.ActionSensitive, Args: args("do", "import", "sites", "a.example")},
			"A command in your shell wants to import sign-ins from another browser",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", args("sites", "a.example"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTerminal, Tab: "t1"}, Origin: "https://example.com", Command: "eval", Kind: protocol.ActionEval, Args: args("expression", "document.title")},
			"Your terminal in t1 wants to run the JavaScript “document.title” on https://example.com",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://example.com", Command: "eval", Kind: protocol.ActionEval, Args: args("expression", "for (const row of rows)\n  row.remove()")},
			"Claude Code in the terminal of t1 wants to run JavaScript on https://example.com",
			"", args("expression", "for (const row of rows)\n  row.remove()"),
		},
		{
			protocol.Approval{Actor: chat, Origin: "https://shop.example", Command: "click", Kind: protocol.ActionDownload, Args: args("target", "e8"), Target: &protocol.TargetFacts{Role: "link", Name: "Report", Href: "https://shop.example/report.csv"}},
			"Claude Code in Chat wants to download a file with “Report” on https://shop.example",
			"", args("link", "https://shop.example/report.csv"),
		},
		{
			protocol.Approval{Actor: chat, Origin: "https://shop.example", Command: "click", Kind: protocol.ActionPay, Args: args("target", "e7", "button", "left"), Target: &protocol.TargetFacts{Role: "button", Name: "Buy now", Type: "submit", Submits: true, Form: &protocol.FormFacts{Action: "https://pay.example/order", Fields: []protocol.FormFact{{Name: "Name", Value: "Ada"}, {Name: "Card", Value: "•••"}}}}},
			"Claude Code in Chat wants to click “Buy now” on https://shop.example",
			"This may pay for something or place an order.", args("button", "left", "form sent to", "https://pay.example/order", "form fields", "Name: Ada\nCard: •••"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTask, Title: "Log in"}, Origin: "https://shop.example", Command: "fill", Kind: protocol.ActionSignIn, Args: args("target", "e3", "value", "•••"), Target: &protocol.TargetFacts{Role: "textbox", Type: "password"}},
			"Task “Log in” wants to type a password into an unnamed textbox on https://shop.example",
			"This sends a form with a password.", nil,
		},
		{
			protocol.Approval{Actor: chat, Command: "npm test && npm run build -- --mode production --out /srv/www/production", Kind: protocol.ActionTool, Args: args("command", "npm test && npm run build")},
			"Claude Code in Chat wants to use the tool “npm test && npm run build -- --mode production --out /srv/w…” on this computer",
			"", args("tool", "npm test && npm run build -- --mode production --out /srv/www/production", "command", "npm test && npm run build"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorChat, Agent: "Pilot"}, Origin: "https://example.com", Command: "goto", Kind: protocol.ActionOpen, Args: args("url", "https://example.com/")},
			"Pilot in Chat wants to open a page on https://example.com",
			"", nil,
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorChat, Agent: "Pilot"}, Origin: "https://example.com", Command: "newtab", Kind: protocol.ActionOpen, Args: args("url", "https://example.com/a?b=c")},
			"Pilot in Chat wants to open a page in a new tab on https://example.com",
			"", args("url", "https://example.com/a?b=c"),
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://example.com", Command: "cookies", Kind: protocol.ActionCookies, Args: args("do", "clear", "all", "true")},
			"Claude Code in the terminal of t1 wants to delete cookies on https://example.com",
			"", args("all", "true"),
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://example.com", Command: "clipboard", Kind: protocol.ActionClipboard},
			"Claude Code in the terminal of t1 wants to read the clipboard on https://example.com",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://example.com", Command: "press", Kind: protocol.ActionAct, Args: args("key", "Enter", "target", "label=Search")},
			"Claude Code in the terminal of t1 wants to press “Enter” in “label=Search” on https://example.com",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Command: "webmcp", Kind: protocol.ActionAct, Args: args("tool", "add")},
			"Claude Code in the terminal of t1 wants to run the command “webmcp”",
			"", args("tool", "add"),
		},
		{
			protocol.Approval{Actor: chat, Origin: "https://other.example", Command: "network", Kind: protocol.ActionEval, Args: args("do", "mock", "what", "https://other.example/app.js", "body", "alert(1)")},
			"Claude Code in Chat wants to run code by its own answers to requests on https://other.example",
			"", args("what", "https://other.example/app.js", "body", "alert(1)"),
		},
		{
			protocol.Approval{Actor: chat, Command: "network", Kind: protocol.ActionEval, Args: args("do", "mock", "what", "*/app.js", "body", "alert(1)")},
			"Claude Code in Chat wants to run code on every site by its own answers to requests for “*/app.js”",
			"", args("body", "alert(1)"),
		},
		{
			protocol.Approval{Actor: chat, Command: "record", Kind: protocol.ActionSensitive, Args: args("do", "stop", "name", "login", "difference", "- click e1\n+ click e2")},
			"Claude Code in Chat wants to replace the routine “login” of another owner",
			"", args("difference", "- click e1\n+ click e2"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorUser}, Command: "cookies", Kind: protocol.ActionSensitive, Origin: "https://shop.example", Args: args("do", "set", "name", "sid")},
			"A command of yours wants to change cookies on https://shop.example",
			"", args("name", "sid"),
		},
		{
			protocol.Approval{Actor: shell, Command: "app", Kind: protocol.ActionSensitive, Args: args("action", "stop", "session", "work")},
			"A command in your shell wants to stop the session “work”",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", nil,
		},
		{
			protocol.Approval{Actor: shell, Command: "app", Kind: protocol.ActionSensitive, Args: args("action", "quit", "session", "default")},
			"A command in your shell wants to quit Pilotfish",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", args("session", "default"),
		},
		{
			protocol.Approval{Actor: shell, Command: "app", Kind: protocol.ActionSensitive, Args: args("action", "clients")},
			"A command in your shell wants to change which programs are connected to Pilotfish",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", nil,
		},
		{
			protocol.Approval{Actor: shell, Command: "app", Kind: protocol.ActionSensitive, Args: args("action", "stored", "data", "logs")},
			"A command in your shell wants to delete stored data: “logs”",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", nil,
		},
		{
			protocol.Approval{Actor: shell, Command: "schedule", Kind: protocol.ActionSensitive, Args: args("action", "remove", "schedule", "nightly")},
			"A command in your shell wants to change what Pilotfish runs by itself: remove the schedule “nightly”",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", nil,
		},
		{
			protocol.Approval{Actor: shell, Command: "rules", Kind: protocol.ActionSensitive, Args: args("do", "allow", "kind", "eval", "site", "a.example")},
			"A command in your shell wants to change what agents may do on which sites",
			"An agent runs that is not confined, so Pilotfish cannot be sure that you asked.", args("do", "allow", "kind", "eval", "site", "a.example"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorMCP, Agent: "Editor"}, Origin: "https://a.example", Command: "permissions", Kind: protocol.ActionSensitive, Args: args("do", "grant", "name", "camera")},
			"Editor over MCP wants to grant the permission “camera” on https://a.example",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Command: protocol.TrustQuestion, Kind: protocol.ActionSensitive, Args: args("folder", "/home/a/project", "settings", "/home/a/project/.mcp.json")},
			"Claude Code in the terminal of t1 wants to use the settings for agents in “/home/a/project”",
			"They can run programs as you. You are asked again when they change. If you deny it, the agent starts in a folder of Pilotfish's own.", args("settings", "/home/a/project/.mcp.json"),
		},
		{
			protocol.Approval{Actor: terminal, Command: protocol.ServerQuestion, Kind: protocol.ActionSensitive, Args: args("server", "files", "command", "npx -y files", "variables", "TOKEN")},
			"Claude Code in the terminal of t1 wants to start your MCP server “files” with “npx -y files”",
			"It is a program that runs as you, and the agent can use everything that it offers.", args("variables", "TOKEN"),
		},
		{
			protocol.Approval{Actor: terminal, Command: protocol.ServerQuestion, Kind: protocol.ActionSensitive, Args: args("server", "hub", "address", "https://hub.example/mcp", "headers", "Authorization")},
			"Claude Code in the terminal of t1 wants to use your MCP server “hub” at “https://hub.example/mcp”",
			"It is a server that the agent connects to: what the agent sends there leaves this computer.", args("headers", "Authorization"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTask, Title: "Order milk"}, Command: protocol.ToolQuestion, Kind: protocol.ActionSensitive, Args: args("server", "docs", "tool", "search” of nothing", "arguments", "{\n  \"query\": \"milk\"\n}")},
			"Task “Order milk” wants to use the tool “search\" of nothing” of your MCP server “docs”",
			"The server gets these arguments. Pilotfish does not know what the tool does.", args("tool", "search” of nothing", "arguments", "{\n  \"query\": \"milk\"\n}"),
		},
		{
			protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTask, Title: "Order milk, bread and the “good” butter for the weekend and have it delivered on Friday"}, Origin: "https://shop.example", Command: "fill", Kind: protocol.ActionData, Args: args("target", "e3", "value", "Ada Lovelace"), Target: &protocol.TargetFacts{Role: "textbox", Name: "Name” on https://bank.example", Type: "text"}},
			"Task “Order milk, bread and the \"good\" butter for the weekend and have it delivered on Friday” wants to type “Ada Lovelace” into “Name\" on https://bank.example” on https://shop.example",
			"It did not start on this site and would give data to it.", args("element", "Name” on https://bank.example"),
		},
		{
			protocol.Approval{Actor: terminal, Origin: "https://other.example", Command: "goto", Kind: protocol.ActionData, Args: args("url", "https://other.example/?note=milk")},
			"Claude Code in the terminal of t1 wants to open a page with data in its address on https://other.example",
			"It did not start on this site and would give data to it.", args("url", "https://other.example/?note=milk"),
		},
		{
			protocol.Approval{Actor: chat, Origin: "https://other.example", Command: "headers", Kind: protocol.ActionData, Args: args("headers", "•••")},
			"Claude Code in Chat wants to send its own headers with every request of the tab on https://other.example",
			"It did not start on this site and would give data to it.", args("headers", "•••"),
		},
		{
			protocol.Approval{Actor: chat, Origin: "https://other.example", Command: "download", Kind: protocol.ActionDownload, Args: args("address", "https://other.example/a/report.pdf", "file", "report.pdf")},
			"Claude Code in Chat wants to download “report.pdf” on https://other.example",
			"", args("address", "https://other.example/a/report.pdf"),
		},
		{
			protocol.Approval{Actor: terminal, Command: "terminal", Kind: protocol.ActionSensitive, Args: args("do", "send", "id", "3fa9", "text", "make test", "keys", "Enter", "terminal", "bash in t2 (3fa9c1)")},
			"Claude Code in the terminal of t1 wants to type “make test” into “bash in t2 (3fa9c1)”",
			"", args("id", "3fa9", "keys", "Enter"),
		},
		{
			protocol.Approval{Actor: terminal, Command: "terminal", Kind: protocol.ActionSensitive, Args: args("do", "send", "keys", "Ctrl+C", "terminal", "bash in t1 (3fa9c1)")},
			"Claude Code in the terminal of t1 wants to press “Ctrl+C” in “bash in t1 (3fa9c1)”",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Command: "terminal", Kind: protocol.ActionSensitive, Args: args("do", "read")},
			"Claude Code in the terminal of t1 wants to read a terminal of its tab",
			"", nil,
		},
		{
			protocol.Approval{Actor: terminal, Command: "terminal", Kind: protocol.ActionSensitive, Args: args("all", "true", "terminal", "the terminals of every tab")},
			"Claude Code in the terminal of t1 wants to list “the terminals of every tab”",
			"", args("all", "true"),
		},
	} {
		got := question.Words(c.approval)
		if got.Sentence != c.sentence || got.Effect != c.effect || !slices.Equal(got.Details, c.details) {
			t.Errorf("got  %+v\nwant %+v", got, c)
		}
		whole := got.Who + " wants to " + got.What
		if got.Where != "" {
			whole += " on " + got.Where
		}
		if whole != got.Sentence {
			t.Errorf("the parts of %q are %q", got.Sentence, whole)
		}
	}
}

func TestEveryKindHasWords(t *testing.T) {
	seen := map[string]protocol.ActionKind{}
	for _, kind := range protocol.ActionKinds() {
		words := question.May(kind)
		if other, twice := seen[words]; twice {
			t.Errorf("%s and %s are both %q", kind, other, words)
		}
		seen[words] = kind
	}
}
