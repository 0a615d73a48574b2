// Package command is the registry of commands: what a command is, how a call or
// a line is parsed, who may run it, and how it runs. It contains no command
// itself. The commands of the browser are declared in the package catalogue,
// each once, with its name, arguments, scope, help and handler; the command
// line, POST /command, the help, the schema and the checks of the arguments are
// all derived from that. The package does not import the browser: it declares
// the interface that it needs.
//
// Registry.Execute runs a command. It checks the scope, the arguments and the
// tab, then what authorize.go checks (own tab, site rule, approval,
// consequence), and then calls the handler with an Invocation. A command
// declares itself what the checks need to know of it: its kind, what it opens,
// what it is about to do. A command that runs others records each of them as an
// activity entry of its own, whose parent is the index of its own first entry.
//
// In the text of a reply, everything that a page wrote is in an envelope,
// including titles, dialogs, file names and thrown errors. The data of a reply
// is for programs and contains the page's text unchanged; MCP gives a model the
// text only.
package command
