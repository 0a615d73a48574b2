package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// program is one run of the command line.
type program struct {
	stdin  *os.File
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	// max is the most characters that print prints at a time; 0 for all.
	max int
}

func newProgram() *program {
	return &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
}

// builtin is a command that the command line itself implements.
type builtin struct {
	syntax.Spec

	run func(p *program, ctx context.Context, in syntax.Invocation) error
}

// builtins are the commands that do not come from the browser's registry.
func builtins() []builtin {
	name := syntax.Arg{Name: "name", Help: "the session; the default one when it is left out"}
	return []builtin{
		{syntax.Spec{Name: "status", Summary: "show the sessions, their tabs and agents", Group: syntax.GroupApp}, (*program).status},
		{syntax.Spec{
			Name: "sessions", Summary: "list, start, stop, restart, make or delete sessions", Group: syntax.GroupApp,
			Help: "start makes the session if there is none, and starts Pilotfish if it does not run. The options of start and test-proxy are for that one run: they replace what [sessions.NAME] in settings.toml says. new keeps its options. With --browser, start says what you have to do in your browser, and waits for it. In a work tree with a file pilotfish.toml, start without a name starts the session of that work tree, once you trust the file.",
			Args: append([]syntax.Arg{
				{Name: "action", Help: "what to do; without it the sessions are listed. test-proxy connects through the session's proxy", Choices: []string{"list", "start", "stop", "restart", "new", "delete", "test-proxy"}}, name,
			}, identityOptions()...),
			Examples: []string{"pilotfish sessions", "pilotfish sessions new work", "pilotfish sessions start work", "pilotfish sessions start work --proxy socks5://localhost:1080 --languages de-DE,en", "pilotfish sessions new mine --browser my-chrome", "pilotfish sessions new plain --browser by-hand"},
		}, (*program).sessions},
		{poolSpec(), (*program).pool},
		{syntax.Spec{
			Name: "pair", Summary: "give a session to the browser whose panel shows a code", Group: syntax.GroupApp,
			Help:     "For a session that was made with --browser by-hand: you install the extension yourself, and its panel shows a code, which counts for five minutes and once. Without --session it is the session that waits for a panel.",
			Args:     []syntax.Arg{{Name: "code", Help: "what the panel shows", Required: true}},
			Examples: []string{"pilotfish pair K7QF-2M9X-TD4A"},
		}, (*program).pair},
		{syntax.Spec{
			Name: "trust", Summary: "show what the file pilotfish.toml of a work tree sets, or which settings for agents are in a folder, and trust them", Group: syntax.GroupApp,
			Help: "sessions start without a name starts the session that such a file describes, once you trust the file. Pilotfish asks in its window; where there is none, as with serve --headless, run this first. The same goes for the settings for agents in the working folder (.claude, .mcp.json and others), which --agents trusts: they can run programs as you. After each change you are asked again.",
			Args: []syntax.Arg{
				{Name: "dir", Help: "a folder of the work tree; the current one when it is left out"},
				{Name: "agents", Kind: syntax.KindBool, Flag: true, Help: "trust the settings for agents in the folder and above it, in place of pilotfish.toml"},
				{Name: "yes", Kind: syntax.KindBool, Flag: true, Help: "trust without a question"},
			},
			Examples: []string{"pilotfish trust", "pilotfish trust ~/src/shop --yes", "pilotfish trust ~/src/shop --agents"},
		}, (*program).become},
		{syntax.Spec{
			Name: "app", Summary: "show or quit the app, or renew its connections", Group: syntax.GroupApp,
			Args: []syntax.Arg{{Name: "action", Help: "show: bring the window forward. rotate-tokens: give every panel a new token. restart-server: restart the local server; panels and agents reconnect", Required: true, Choices: []string{"show", "quit", "rotate-tokens", "restart-server"}}},
		}, (*program).app},
		{clientsSpec(), (*program).clients},
		{shareSpec(), (*program).share},
		{controlSpec(), (*program).control},
		{storedSpec(), (*program).stored},
		{syntax.Spec{
			Name: "serve", Summary: "run the sessions without window and tray, until Ctrl-C", Group: syntax.GroupApp,
			Args: []syntax.Arg{
				{Name: "headless", Kind: syntax.KindBool, Flag: true, Help: "run the browser without a display too; such a browser has no side panel, and runs tasks without one"},
				{Name: "control", Kind: syntax.KindBool, Flag: true, Help: "print an address of the control page on standard error; see pilotfish control"},
				{Name: "idle", Flag: true, Help: "end after so long without a command: 30m"},
				{Name: "isolated", Kind: syntax.KindBool, Flag: true, Help: "give each client of MCP over HTTP (/mcp) a session of its own, in the browser of --session; it ends with DELETE, or half an hour after the client's last request"},
				{Name: "notify-url", Flag: true, Help: "post what needs you to this address, in place of the setting notify_url; PILOTFISH_NOTIFY_URL does the same and is in no list of processes"},
			},
			Examples: []string{"pilotfish serve --headless", "pilotfish serve --headless --control", "pilotfish serve --headless --isolated", "pilotfish serve --notify-url 'https://ntfy.sh/TOPIC?tpl=1&m={{.text}}'"},
		}, (*program).serve},
		{syntax.Spec{
			Name: "activity", Summary: "show what was done in the session, by whom, and how it ended", Group: syntax.GroupApp,
			Args: []syntax.Arg{
				{Name: "follow", Kind: syntax.KindBool, Flag: true, Help: "keep showing what is done from now on"},
				{Name: "after", Kind: syntax.KindInt, Flag: true, Help: "only what comes after this index"},
				{Name: "limit", Kind: syntax.KindInt, Flag: true, Help: "at most so many entries (100 when it is left out)"},
				{Name: "find", Flag: true, Help: "only entries that contain this text"},
				{Name: "kind", Flag: true, Choices: activityKinds(), Help: "only entries of this kind; error also finds what failed"},
				{Name: "actor", Flag: true, Help: "only what this actor did: a part of its name, or person, terminal, chat, task, shell"},
				{Name: "since", Flag: true, Help: "only later entries: 2h, 3d, a day or a time"},
				{Name: "until", Flag: true, Help: "only earlier entries"},
				{Name: "export", Flag: true, Choices: []string{"json", "md"}, Help: "print everything that is selected, as JSON or Markdown"},
			},
			Examples: []string{"pilotfish activity", "pilotfish activity --follow --after 0", "pilotfish activity --find checkout --since 2d", "pilotfish activity --kind error --export md"},
		}, (*program).activity},
		{syntax.Spec{
			Name: "chat", Summary: "list conversations, show one, say something in one, or continue a session that an agent keeps", Group: syntax.GroupAgent,
			Help: "A new conversation is called new; --tab puts it beside a tab. What the agent asks is answered in Pilotfish. past lists the sessions that agents keep themselves, begun in Pilotfish or elsewhere; continue makes a conversation of one, in the folder where it was begun. The files of Claude Code and Codex are read; any other agent is started and asked when --agent names it.",
			Args: []syntax.Arg{
				{Name: "action", Choices: []string{"list", "show", "send", "past", "continue"}, Help: "what to do; list when it is left out"},
				{Name: "conversation", Help: "its id, as list shows it; with continue the session's, as past shows it"},
				{Name: "text", Rest: true, Help: "what to say"},
				{Name: "agent", Flag: true, Help: "who answers in a new conversation: pilot, claude, …, or the name of a model that is set up. past and continue: only sessions of this agent"},
				{Name: "folder", Flag: true, Help: "past and continue: only sessions begun in this folder or below it"},
			},
			Examples: []string{"pilotfish chat", `pilotfish chat send new "go to example.com" --tab t1`, "pilotfish chat show 5F2A", "pilotfish chat past --agent claude --folder .", "pilotfish chat continue 0205f437-f816-4704-b6f3-9cf7b060888c"},
		}, (*program).chat},
		{syntax.Spec{
			Name: "task", Summary: "hand a task over to the agent of Task, follow it, stop it, or look at tasks", Group: syntax.GroupAgent,
			Help: "run prints what happens until the end. The task runs in the panel beside its tab, or without one where none is open, also in a session without a window; a panel that you open meanwhile shows it. It continues after this command ends. Its questions are answered in the panel, in the window, on the control page, with answer, or here when the input is a terminal; in an app without a window a question that nobody is there to answer ends it after 10 seconds, and one that nobody answers after 30 minutes. With --json the end is printed as one object.",
			Args: []syntax.Arg{
				{Name: "action", Choices: []string{"list", "run", "status", "follow", "answer", "show", "stop", "routines"}, Help: "what to do; list when it is left out"},
				{Name: "words", Rest: true, Help: "run: what is to be done. list: a text to search for. answer: the task's id, and the answer. The others: the task's id"},
				{Name: "model", Flag: true, Help: "run: the model to use, by its name in Settings"},
				{Name: "steps", Flag: true, Kind: syntax.KindInt, Help: "run: how many steps it has at most"},
				{Name: "routine", Flag: true, Help: "run: a saved routine, in place of words"},
				{Name: "param", Flag: true, Help: "run: values for the routine's parameters, with commas between: city=Paris,days=3"},
				{Name: "detach", Flag: true, Kind: syntax.KindBool, Help: "run: return when the task has begun"},
			},
			Examples: []string{`pilotfish task run "fill this form with made-up data" --tab t3`, "pilotfish task", `pilotfish task answer 3f0c8a52-0000-4000-8000-000000000001 "the green one"`, "pilotfish task stop 3f0c8a52-0000-4000-8000-000000000001"},
		}, (*program).task},
		{scheduleSpec(), (*program).schedule},
		{syntax.Spec{
			Name: "mcp", Summary: "offer the browser to a model by MCP, on standard input and output", Group: syntax.GroupAgent,
			Help: "An MCP client starts it, such as: claude mcp add pilotfish -- pilotfish mcp. With --isolated the client gets a session of its own, with its own tabs and cookies, in the browser of --session; it ends with the client, and nothing of it stays.",
			Args: []syntax.Arg{
				{Name: "isolated", Kind: syntax.KindBool, Flag: true, Help: "give the client a session of its own, in the browser of the session"},
			},
			Examples: []string{"pilotfish mcp", "pilotfish mcp --session work", "pilotfish mcp --isolated"},
		}, (*program).become},
		{syntax.Spec{
			Name: "confine", Summary: "start a program that cannot see Pilotfish's own files and processes", Group: syntax.GroupAgent, Program: true,
			Help:     "An agent that you start by hand in a terminal is not confined by itself; this confines it as Settings do for the agents of the panel.",
			Examples: []string{"pilotfish confine claude", "pilotfish confine bash -i"},
		}, (*program).confine},
		{syntax.Spec{
			Name: "connect", Summary: "add Pilotfish to another program, so that its agent can drive the browser", Group: syntax.GroupAgent,
			Help: "It adds the MCP server, and the skill where the program knows skills, to the program's own settings, shows the change, and starts the server once as the program would. Everything else in the settings stays as it is. Without a program it lists them.",
			Args: []syntax.Arg{
				{Name: "program", Choices: connectable(), Help: "the program"},
				{Name: "list", Kind: syntax.KindBool, Flag: true, Help: "show how every program stands"},
				{Name: "remove", Kind: syntax.KindBool, Flag: true, Help: "take it back"},
				{Name: "dry-run", Kind: syntax.KindBool, Flag: true, Help: "show the change without making it"},
			},
			Examples: []string{"pilotfish connect", "pilotfish connect claude", "pilotfish connect zed --dry-run", "pilotfish connect cursor --remove"},
		}, (*program).become},
		{syntax.Spec{
			Name: "mcp-servers", Summary: "list, add, remove or import your own MCP servers, which Chat and Task get", Group: syntax.GroupAgent,
			Help: "You are asked before an agent gets one, unless you allow it always. A server runs as you. The values of its variables are kept in a file that only you can read, those of headers that are credentials in the keychain, and none is shown. import takes over the servers of a program that connect knows.",
			Args: []syntax.Arg{
				{Name: "action", Choices: []string{"list", "add", "remove", "allow", "ask", "deny", "import"}, Help: "what to do; list when it is left out"},
				{Name: "name", Help: "the server; with import the program"},
				{Name: "line", Help: "with add: the command line that starts it, as one text, or its address (https://…)"},
				{Name: "env", Flag: true, Help: "with add: its variables, with commas between: NAME=value, or NAME for this shell's value"},
				{Name: "header", Flag: true, Help: "with an address: the headers sent there, with commas between: NAME=value; ${TOKEN} is this shell's value, and op://…, bw:… or pass:… as the value is asked for when it is needed"},
			},
			Examples: []string{`pilotfish mcp-servers add files "npx -y @modelcontextprotocol/server-filesystem /tmp"`, `pilotfish mcp-servers add hub https://mcp.example.com/mcp --header 'Authorization=Bearer ${TOKEN}'`, "pilotfish mcp-servers import claude", "pilotfish mcp-servers allow files"},
		}, (*program).become},
		{syntax.Spec{
			Name: "skill", Summary: "print the skill that teaches an agent to use Pilotfish", Group: syntax.GroupAgent,
			Examples: []string{"pilotfish skill"},
		}, (*program).become},
		{syntax.Spec{
			Name: "doctor", Summary: "check this installation and say how to fix problems", Group: syntax.GroupApp,
			Help:     "--attempts starts a program as an agent is started, which tries every way known to us to get more than an agent's rights, and prints a line for each. It changes nothing.",
			Args:     []syntax.Arg{{Name: "attempts", Kind: syntax.KindBool, Flag: true, Help: "try the ways out of the confinement of agents"}},
			Examples: []string{"pilotfish doctor", "pilotfish doctor --attempts"},
		}, (*program).become},
		{syntax.Spec{
			Name: "agent-status", Summary: "say what the agent in this terminal is doing", Group: syntax.GroupAgent,
			Args: []syntax.Arg{
				{Name: "status", Required: true, Help: "what it is doing", Choices: []string{string(protocol.AgentWorking), string(protocol.AgentIdle), string(protocol.AgentNeedsYou)}},
				{Name: "message", Help: "what the user is shown with needs_you"},
				{Name: "hook", Kind: syntax.KindBool, Flag: true, Help: "called by an agent's hook: read the hook's JSON on the input, print nothing, never fail"},
			},
		}, (*program).agentStatus},
		{syntax.Spec{
			Name: "completion", Summary: "print the completion for a shell", Group: syntax.GroupShell,
			Args:     []syntax.Arg{{Name: "shell", Required: true, Help: "which", Choices: []string{"bash", "zsh", "fish"}}},
			Examples: []string{"source <(pilotfish completion bash)", "pilotfish completion fish >~/.config/fish/completions/pilotfish.fish"},
		}, (*program).completion},
		{syntax.Spec{Name: "version", Summary: "print the version", Group: syntax.GroupShell}, (*program).version},
		{syntax.Spec{Name: "help", Summary: "say more about a command", Args: []syntax.Arg{{Name: "command", Help: "the command"}}, Group: syntax.GroupShell}, (*program).help},
		{syntax.Spec{Name: "agent-permission", Hidden: true}, (*program).agentPermission},
		// For packages: the manual page, dated as the second argument says.
		{syntax.Spec{Name: "manual", Hidden: true, Args: []syntax.Arg{{Name: "date", Help: "the day that it shows; today when it is left out"}}}, (*program).manual},
		{syntax.Spec{Name: "guard", Hidden: true}, (*program).guard},
		{syntax.Spec{Name: "adopt", Hidden: true, Program: true}, (*program).adopt},
		{syntax.Spec{Name: "seal", Hidden: true, Program: true}, (*program).seal},
	}
}

// own returns the specs of the builtins.
func own() syntax.Commands {
	table := builtins()
	specs := make(syntax.Commands, len(table))
	for i, b := range table {
		specs[i] = b.Spec
	}
	return specs
}

// run runs the command of the arguments, and returns the exit code.
func (p *program) run(argv []string) int {
	in, err := own().Parse(argv)
	if err == nil {
		err = p.dispatch(context.Background(), in)
	}
	if err == nil {
		return 0
	}
	return p.fail(in, err)
}

// dispatch runs a builtin, or sends the browser's command.
func (p *program) dispatch(ctx context.Context, in syntax.Invocation) error {
	if in.Spec.Name == "" || in.Help {
		return p.print(own().Help(in.Spec))
	}
	p.max = in.Max
	table := builtins()
	if i := slices.IndexFunc(table, func(b builtin) bool { return b.Name == in.Spec.Name }); i >= 0 {
		return table[i].run(p, ctx, in)
	}
	return p.command(ctx, in)
}

// fail prints what went wrong and what to do, and returns the exit code.
func (p *program) fail(in syntax.Invocation, err error) int {
	if reported, ok := err.(exitError); ok { //nolint:errorlint // never wrapped: it is not a message but the end of a report
		return int(reported)
	}
	e := protocol.AsError(err)
	if in.JSON {
		whole := protocol.CommandReply{Text: e.Error(), Error: e}
		if failed, ok := errors.AsType[*replyError](err); ok {
			whole = failed.reply
		}
		p.printJSON(whole) //nolint:errcheck // the message below is the last thing that can be done
	}
	return say.Failure(p.stderr, e)
}

// exitError ends a command that has already printed everything.
type exitError int

// Error implements error.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// printJSON prints one object on one line.
func (p *program) printJSON(v any) error { return say.Object(p.stdout, v) }

// print prints text for a user or a model. It says when it prints only the first characters.
func (p *program) print(text string) error {
	if runes := []rune(text); p.max > 0 && len(runes) > p.max {
		text = fmt.Sprintf("%s\n(%d of %d characters; --max %d shows all)", string(runes[:p.max]), p.max, len(runes), len(runes))
	}
	return say.Text(p.stdout, text)
}

func (p *program) help(_ context.Context, in syntax.Invocation) error {
	var about syntax.Spec
	if name := in.Values["command"]; name != "" {
		found, err := own().Find(name)
		if err != nil {
			return err
		}
		about = found
	}
	return p.print(own().Help(about))
}

func (p *program) completion(_ context.Context, in syntax.Invocation) error {
	return p.print(own().Completion(in.Values["shell"]))
}

func (p *program) manual(_ context.Context, in syntax.Invocation) error {
	day := in.Values["date"]
	if day == "" {
		day = time.Now().UTC().Format(time.DateOnly)
	}
	return p.print(own().Manual(version, day))
}

func (p *program) version(_ context.Context, in syntax.Invocation) error {
	if in.JSON {
		return p.printJSON(map[string]string{"version": version, "protocol": protocol.Version, "go": runtime.Version()})
	}
	return say.Version(p.stdout, version)
}

// connectable are the programs of backend/connect, whose package the command line does
// not link; a test compares them.
func connectable() []string {
	return []string{"claude", "codex", "cursor", "vscode", "gemini", "opencode", "zed", "windsurf", "goose", "copilot", "qwen"}
}

// serve checks the idle time before it starts the service, so that a wrong value
// is reported here.
func (p *program) serve(ctx context.Context, in syntax.Invocation) error {
	if text := in.Values["idle"]; text != "" {
		if idle, err := time.ParseDuration(text); err != nil || idle <= 0 {
			return syntax.Bad("--idle is a time such as 30m, not %q", text)
		}
	}
	if address := in.Values["notify-url"]; address != "" {
		// The environment of the service is not shown by ps, as its arguments are.
		if err := os.Setenv(protocol.EnvNotify, address); err != nil {
			return fmt.Errorf("passing the webhook on: %w", err)
		}
	}
	return p.become(ctx, in)
}

// become replaces this process with the service. It returns only when the service
// cannot be started.
func (p *program) become(_ context.Context, in syntax.Invocation) error {
	service, err := client.Service()
	if err != nil {
		return err
	}
	args := []string{service, in.Spec.Name}
	for _, name := range []string{"headless", "control", "idle", "program", "list", "remove", "dry-run", "check", "from", "key", "undo", "action", "name", "line", "env", "header", "dir", "agents", "yes", "attempts", "isolated"} {
		if value := in.Values[name]; value != "" {
			args = append(args, "--"+name+"="+value)
		}
	}
	if in.JSON {
		args = append(args, "--json")
	}
	args = append(args, "--tab="+string(in.Tab), "--session="+string(in.Session))
	err = client.Become(service, args, os.Environ())
	return client.Unstartable(service, err)
}
