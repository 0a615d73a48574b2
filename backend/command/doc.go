// Package command is the registry of the browser's commands. A command is
// declared once, with its name, arguments, scope, help and handler; the command
// line, POST /command, the help, the schema and the checks of the arguments all
// come from that. The package links no browser: it declares the interface that
// it needs.
package command
