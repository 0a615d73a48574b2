// Package driver defines the interface between Chat and agents: how an agent is
// started (Driver), its process (Agent), a session for one conversation
// (Session), and what it sends (Update and Ask, to a Sink). The packages acp,
// claude, model and pilot implement it, each for one protocol. Package chat
// uses it and knows none of them.
package driver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// Driver starts agents of one protocol.
type Driver interface {
	// Start starts the agent's process. The returned Agent lives until it ends
	// by itself, is closed, or life ends.
	Start(life context.Context, launch Launch) (Agent, error)
}

// Launch says what program to start and what it receives.
type Launch struct {
	Kind protocol.AgentKind
	Name string
	Path string
	Args []string
	Env  []string
	Dir  string
	// Confine says what the process does not see; nil for a process that sees all
	// that its user does.
	Confine *confine.Folders
	// Keeper is the program that adopts what a process without confinement leaves
	// behind; see confine.Prepare. Empty for none.
	Keeper string
	// Grant creates what the process may do by itself, right before it starts; nil for
	// a process that may do nothing.
	Grant func() Grant
	// Stderr is called with each line that the agent writes to its standard
	// error; nil discards them.
	Stderr func(line string)
}

// Grant is what a process of an agent may do for its conversations; see tokens.Process.
type Grant struct {
	ID  string
	Env []string // "NAME=value", for the process
	// End ends it, once the process has ended.
	End func()
}

// Starter is all that is needed to start an agent.
type Starter struct {
	Driver Driver
	Launch Launch
	// SignIn says how a user signs in, for an agent that offers no way itself.
	SignIn string
	// FromJournal: the driver keeps no session. It builds the agent's knowledge
	// from SessionConfig.History at each prompt, so a prompt need not quote
	// earlier messages.
	FromJournal bool
	// ReportsSteps: the agent's updates already show each of its browser
	// commands, so Chat does not add them.
	ReportsSteps bool
	// TakesRefs: the agent uses Prompt.Refs; for other agents the refs are in
	// the text.
	TakesRefs bool
}

// Agent is a running agent. It may serve several sessions at once.
type Agent interface {
	// Shared says whether one process serves many sessions.
	Shared() bool
	// Open creates a session, or loads or resumes the session cfg.Resume.
	// Updates go to sink in the order in which the agent made them. Updates
	// that arrive before the session's id is known are kept until it is. Open
	// returns *NeedsSignIn when the agent asks for a sign-in first, and
	// ErrNoResume when it cannot load the session.
	Open(ctx context.Context, cfg SessionConfig, sink Sink) (Session, error)
	// SignIn signs in by one of the methods of NeedsSignIn.
	SignIn(ctx context.Context, method string) error
	// Done is closed when the process has ended; Err then returns why.
	Done() <-chan struct{}
	Err() error
	// Past returns the sessions that the agent keeps, of all folders; nil when it does not
	// offer that. Their texts are the agent's, bounded but not cleaned. It returns
	// *NeedsSignIn as Open does.
	Past(ctx context.Context) ([]protocol.PastSession, error)
	// Close ends the process by the stop ladder and returns when it has ended.
	// After that no update is sent.
	Close(ctx context.Context) error
}

// In returns the launch in another folder; in the same one if dir is empty.
func (l Launch) In(dir string) Launch {
	if dir == "" {
		return l
	}
	l.Dir = dir
	l.Env = slices.Clone(l.Env)
	for i, v := range l.Env {
		if strings.HasPrefix(v, "PWD=") {
			l.Env[i] = "PWD=" + dir
		}
	}
	return l
}

// SessionConfig configures a session.
type SessionConfig struct {
	// Resume is the agent's own id of an earlier session; empty for a new one.
	Resume string
	// Replay asks an agent that can do both to repeat what was said in the session Resume,
	// because the conversation does not have it.
	Replay bool
	Dir    string
	// Tools are the browser's MCP tools.
	Tools []ToolServer
	// Actor is the actor of the session's agent for the browser, and Tab its
	// tab; empty when it has none.
	Actor protocol.Actor
	Tab   protocol.TabID
	// System is the system prompt for the agent: its tab, its tools, and that
	// page content is data.
	System string
	// History returns the part of the conversation before the running turn,
	// oldest first: the last entries, about limit bytes. It is for drivers
	// whose Starter has FromJournal set.
	History func(limit int) ([]Said, error)
}

// Said is one part of a conversation: a prompt, or an entry that followed from
// one.
type Said struct {
	// Prompt is the user's prompt; nil for everything else. It has images only
	// for the most recent prompts.
	Prompt *Prompt
	// Instant is set for a prompt that Pilot carried out, and for the entries
	// that followed from it.
	Instant bool
	// Entry is the journal's entry: a prompt, a text, a tool call, or the end
	// of a turn.
	Entry protocol.ChatEntry
}

// ToolServer is an MCP server for an agent: a program over stdio that it starts, or a
// server at an address that it connects to (streamable HTTP).
type ToolServer struct {
	Name    string
	Command string
	Args    []string
	Env     []string // "NAME=value"
	// URL is the address; empty for a program.
	URL string
	// Headers go with every request to URL.
	Headers []ToolHeader
	// Missing says why no agent can get it now; empty for one that an agent gets. The
	// driver does not pass it on and tells the user (Usable).
	Missing string
}

// ToolHeader is a header of the requests to a server.
type ToolHeader struct{ Name, Value string }

// Usable returns the servers that an agent can get, and a notice for the user about those
// that it cannot, empty if there are none. remote says whether the agent can connect to
// servers at an address.
func Usable(agent string, servers []ToolServer, remote bool) (usable []ToolServer, notice string) {
	var left []string
	for _, server := range servers {
		switch {
		case server.Missing != "":
			left = append(left, server.Name+" ("+server.Missing+")")
		case server.URL != "" && !remote:
			left = append(left, server.Name+" ("+agent+" cannot connect to MCP servers at an address, only start programs)")
		default:
			usable = append(usable, server)
		}
	}
	if len(left) == 0 {
		return usable, ""
	}
	return usable, agent + " does not have these of your MCP servers: " + strings.Join(left, "; ") + "."
}

// Session is one session of an agent. Its methods may be called at any time,
// but only one call of Prompt may run.
type Session interface {
	// ID returns the agent's own id of the session.
	ID() string
	Abilities() protocol.ChatAbilities
	// Prompt runs one turn and returns how it ended. Every update of the turn
	// has reached the sink before it returns. Cancelling ctx abandons the turn
	// without waiting for the agent; Cancel asks the agent to end it.
	Prompt(ctx context.Context, prompt Prompt) (TurnEnd, error)
	// Steer adds a message to the running turn (ChatAbilities.Steer). It neither blocks
	// nor calls the Sink, because the conversation is locked meanwhile. An error means
	// that the agent does not have the message.
	Steer(ctx context.Context, prompt Prompt) error
	// Cancel asks the agent to end the turn; Prompt then returns EndCancelled.
	Cancel(ctx context.Context) error
	// SetOption sets one of the options that the session announced.
	SetOption(ctx context.Context, id, value string) error
	// Close closes the session; the process may continue.
	Close(ctx context.Context) error
}

// Prompt is what an agent receives for a message.
type Prompt struct {
	Message protocol.MessageID
	Text    string
	Images  []Image
	Files   []File
	// Refs are the elements of the conversation's tab that the user attached,
	// if Starter.TakesRefs is set.
	Refs []string
	// Plan is what the router parsed from the text, for the agent for instant
	// messages; nil if the router was not asked. Only that agent's driver knows
	// its type.
	Plan any
	// MayDecline: another agent takes the message if the page has not what the plan names.
	MayDecline bool
	// Model is the model to use for this turn, one of the session's choices;
	// empty for the session's current one.
	Model string
}

// Image is an image in a prompt.
type Image struct {
	Mime string
	Data []byte
}

// File is a file in a prompt.
type File struct {
	Path string
	Mime string
}

// TurnEnd is how a turn ended.
type TurnEnd struct {
	Reason protocol.EndReason
	Usage  *protocol.ChatUsage
	// Brief describes what was done, for another agent of the conversation;
	// empty if the agent does not report it.
	Brief string
	// Declined: nothing was done, because the page has not what the plan names.
	Declined bool
}

// Sink receives what an agent sends. Calls come one at a time, in order.
type Sink interface {
	// Update records one update. It returns when the update is in the journal.
	Update(Update)
	// Ask asks the user for a permission. It returns when the question is in
	// the journal, so that no later update overtakes it. answer is called once,
	// during Ask or later, with the id of the chosen option, or "" for none.
	// ctx ends when the question has ended (the turn was cancelled, the agent
	// ended); an answer given after that is ignored.
	Ask(ctx context.Context, ask Ask, answer func(option string))
}

// Update is one change that an agent announced; exactly one field is set.
type Update struct {
	Text     *Chunk
	Thought  *Chunk
	User     *Chunk // the user's own prompt, repeated by a session that is being loaded
	Tool     *ToolUpdate
	Plan     []protocol.ChatPlanItem
	Commands []protocol.ChatCommand
	Options  []protocol.ChatOption
	Usage    *protocol.ChatUsage
	Title    *string
	Notice   *string
}

// Chunk is a piece of text, or an image.
type Chunk struct {
	Text  string
	Image *Image
	// ID distinguishes one message of the agent from the next, if the agent
	// sends ids. Consecutive chunks of one kind without an ID are one message.
	ID string
}

// ToolUpdate is a change of a tool call. A nil field leaves the old value
// unchanged. An update for an unknown call announces it.
type ToolUpdate struct {
	Call string
	// Name is the tool's own name, if the agent sends it
	// ("mcp__pilotfish__browser_act"); else empty.
	Name    string
	Title   *string
	Kind    *string
	Status  *protocol.ToolStatus
	Input   json.RawMessage
	Content []protocol.ToolContent // replaces what was there, unless nil
	Images  []Image                // the images of the content, in the order of its ContentImage items
	Paths   []string
	// Answer replaces the call by its outcome; it is sent once.
	Answer *Answer
}

// Answer is the outcome of a call, for the user.
type Answer struct {
	Text string // Markdown
	// Picture is the path of an image in the session's folder; empty for none.
	Picture string
	// Which asks the user which element is meant.
	Which *protocol.ChatWhich
}

// Ask is a permission that an agent asks for.
type Ask struct {
	Tool    ToolUpdate
	Options []protocol.PermissionOption
}

// ErrStuck is returned by Prompt while the agent has not ended an abandoned
// turn: its output would be taken for that of the new turn.
var ErrStuck = errors.New("the agent has not ended the turn before")

// ErrNoResume is returned by Open when the agent cannot load the session.
var ErrNoResume = errors.New("the agent cannot load the session")

// NeedsSignIn is returned when an agent requires a sign-in first.
type NeedsSignIn struct { //nolint:errname // it says what is needed, and reads so where it is caught
	Methods []protocol.SignInMethod
	// Why is the agent's reason, such as which key is missing; empty if it gave
	// none.
	Why string
}

// Error implements error.
func (e *NeedsSignIn) Error() string { return "the agent asks for a sign-in" }
