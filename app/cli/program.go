package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// program is one run of the command line.
type program struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
}

func newProgram() *program {
	return &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
}

// builtin is a command of the command line itself.
type builtin struct {
	spec

	run func(p *program, ctx context.Context, in invocation) error
}

// builtins are the commands beside the browser's.
func builtins() []builtin {
	name := arg{name: "name", help: "the session; the default one when it is left out"}
	return []builtin{
		{spec{name: "status", summary: "show the sessions, their tabs and agents", group: groupApp}, (*program).status},
		{spec{
			name: "sessions", summary: "list, start, stop, restart, make or delete sessions", group: groupApp,
			args:     []arg{{name: "action", help: "what to do; without it the sessions are listed", choices: []string{"list", "start", "stop", "restart", "new", "delete"}}, name},
			examples: []string{"pilotfish sessions", "pilotfish sessions new work", "pilotfish sessions start work"},
		}, (*program).sessions},
		{spec{
			name: "app", summary: "show or quit the app, or renew its connections", group: groupApp,
			args: []arg{{name: "action", help: "show: bring the window forward. rotate-tokens: give every panel a new token. restart-server: restart the local server; panels and agents reconnect", required: true, choices: []string{"show", "quit", "rotate-tokens", "restart-server"}}},
		}, (*program).app},
		{spec{
			name: "serve", summary: "run the sessions without window and tray, until Ctrl-C", group: groupApp,
			args: []arg{
				{name: "headless", kind: kindBool, flag: true, help: "run the browser without a display too; such a browser has no side panel"},
				{name: "idle", flag: true, help: "end after so long without a command: 30m"},
			},
		}, (*program).serve},
		{spec{
			name: "activity", summary: "show what was done in the session, by whom, and how it ended", group: groupApp,
			args: []arg{
				{name: "follow", kind: kindBool, flag: true, help: "keep showing what is done from now on"},
				{name: "after", kind: kindInt, flag: true, help: "only what comes after this index"},
				{name: "limit", kind: kindInt, flag: true, help: "at most so many entries (100 when it is left out)"},
			},
			examples: []string{"pilotfish activity", "pilotfish activity --follow --after 0"},
		}, (*program).activity},
		{spec{
			name: "chat", summary: "list conversations, show one, or say something in one and print the answer", group: groupAgent,
			help: "A new conversation is called new; --tab puts it beside a tab. What the agent asks is answered in Pilotfish.",
			args: []arg{
				{name: "action", choices: []string{"list", "show", "send"}, help: "what to do; list when it is left out"},
				{name: "conversation", help: "its id, as list shows it"},
				{name: "text", rest: true, help: "what to say"},
				{name: "agent", flag: true, help: "who answers in a new conversation: pilot, claude, …, or the name of a model that is set up"},
			},
			examples: []string{"pilotfish chat", `pilotfish chat send new "go to example.com" --tab t1`, "pilotfish chat show 5F2A"},
		}, (*program).chat},
		{spec{
			name: "task", summary: "hand a task over to the agent of the side panel, follow it, stop it, or look at tasks", group: groupAgent,
			help: "run asks the panel beside a tab, opens it when it is closed, and prints what happens until the end. The task goes on when this command does not; what it asks is answered in the panel. With --json the end is printed as one object.",
			args: []arg{
				{name: "action", choices: []string{"list", "run", "status", "follow", "show", "stop", "routines"}, help: "what to do; list when it is left out"},
				{name: "words", rest: true, help: "run: what is to be done. list: a text to search for. The others: the task's id"},
				{name: "model", flag: true, help: "run: the model to use, by its name in Settings"},
				{name: "steps", flag: true, kind: kindInt, help: "run: how many steps it has at most"},
				{name: "routine", flag: true, help: "run: a saved routine, in place of words"},
				{name: "param", flag: true, help: "run: values for the routine's parameters, with commas between: city=Paris,days=3"},
				{name: "detach", flag: true, kind: kindBool, help: "run: return when a panel has taken the task"},
			},
			examples: []string{`pilotfish task run "fill this form with made-up data" --tab t3`, "pilotfish task", "pilotfish task stop 3f0c8a52-0000-4000-8000-000000000001"},
		}, (*program).task},
		{spec{
			name: "mcp", summary: "offer the browser to a model by MCP, on standard input and output", group: groupAgent,
			help:     "An MCP client starts it, such as: claude mcp add pilotfish -- pilotfish mcp",
			examples: []string{"pilotfish mcp", "pilotfish mcp --session work"},
		}, (*program).mcp},
		{spec{
			name: "agent", summary: "run Pilot, the agent that needs no account, on standard input and output (ACP)", group: groupAgent,
			help:     "It carries out plain instructions (\"click Save\", \"type hello into Search and press Enter\") in the running app. A program that talks to agents starts it.",
			examples: []string{"pilotfish agent", "pilotfish agent --tab t3"},
		}, (*program).agent},
		{spec{name: "doctor", summary: "check this installation and say how to fix problems", group: groupApp}, (*program).doctor},
		{spec{
			name: "agent-status", summary: "say what the agent in this terminal is doing", group: groupAgent,
			args: []arg{
				{name: "status", required: true, help: "what it is doing", choices: []string{string(protocol.AgentWorking), string(protocol.AgentIdle), string(protocol.AgentNeedsYou)}},
				{name: "message", help: "what the user is shown with needs_you"},
				{name: "hook", kind: kindBool, flag: true, help: "called by an agent's hook: read the hook's JSON on the input, print nothing, never fail"},
			},
		}, (*program).agentStatus},
		{spec{
			name: "completion", summary: "print the completion for a shell", group: groupShell,
			args:     []arg{{name: "shell", required: true, help: "which", choices: []string{"bash", "zsh", "fish"}}},
			examples: []string{"source <(pilotfish completion bash)", "pilotfish completion fish >~/.config/fish/completions/pilotfish.fish"},
		}, (*program).completion},
		{spec{name: "version", summary: "print the version", group: groupShell}, (*program).version},
		{spec{name: "help", summary: "say more about a command", args: []arg{{name: "command", help: "the command"}}, group: groupShell}, (*program).help},
		{spec{name: "guard", hidden: true}, (*program).guard},
	}
}

// run does what the arguments say, and returns the exit code.
func (p *program) run(argv []string) int {
	in, err := p.parse(argv)
	if err == nil {
		err = p.dispatch(context.Background(), in)
	}
	if err == nil {
		return 0
	}
	return p.fail(in, err)
}

// dispatch runs a builtin, or sends the browser's command.
func (p *program) dispatch(ctx context.Context, in invocation) error {
	if in.spec.name == "" || in.help {
		return p.printHelp(in.spec)
	}
	table := builtins()
	if i := slices.IndexFunc(table, func(b builtin) bool { return b.name == in.spec.name }); i >= 0 {
		return table[i].run(p, ctx, in)
	}
	return p.command(ctx, in)
}

// fail tells what went wrong, and what to do, and returns the exit code.
func (p *program) fail(in invocation, err error) int {
	if reported, ok := err.(exitError); ok { //nolint:errorlint // never wrapped: it is not a message but the end of a report
		return int(reported)
	}
	e := protocol.AsError(err)
	if in.json {
		whole := protocol.CommandReply{Text: e.Error(), Error: e}
		if failed, ok := errors.AsType[*replyError](err); ok {
			whole = failed.reply
		}
		p.printJSON(whole) //nolint:errcheck // the message below is the last thing that can be done
	}
	return say.Failure(p.stderr, e)
}

// exitError ends a command that has said everything already.
type exitError int

// Error makes it an error.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// printJSON prints one object on one line.
func (p *program) printJSON(v any) error { return say.Object(p.stdout, v) }

// print prints text for a person or a model.
func (p *program) print(text string) error { return say.Text(p.stdout, text) }
