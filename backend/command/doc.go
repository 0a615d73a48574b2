// Package command is the registry of commands: what a command is, how a call or a
// line is read, who may run it, and how it runs. It knows no single command: those
// of the browser are declared in the package catalogue, each once, with its name,
// arguments, scope, help and handler; the command line, POST /command, the help,
// the schema and the checks of the arguments all come from that. The package links
// no browser: it declares the interface that it needs.
//
// Registry.Execute runs a command: scope, arguments, tab, then authorize.go (own
// tab, site rule, approval, consequence), then the handler, which gets an
// Invocation. What has to be known of a command to judge a call (its kind, what it
// opens, what it is about to do) it declares itself. Commands that run others
// record each of them as an activity entry of its own, whose parent is the index of
// their beginning.
//
// What a page wrote leaves inside an envelope in a reply's text, also titles,
// dialogs, file names and thrown errors. A reply's data is for programs and is as
// the page wrote it; MCP gives a model the text only.
package command
