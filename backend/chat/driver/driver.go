// Package driver says what an agent is to Chat: what starts it (Driver), its
// process (Agent), a conversation with it (Session), and what it says (Update, Ask,
// to a Sink). The packages acp, claude, model and pilot implement it, each for one
// protocol; chat uses it and knows none of them.
package driver

import (
	"context"
	"encoding/json"
	"errors"

	"pilotfish/backend/protocol"
)

// Driver starts agents of one protocol.
type Driver interface {
	// Start starts the agent's process. The returned Agent lives until it ends
	// by itself, is closed, or life ends.
	Start(life context.Context, launch Launch) (Agent, error)
}

// Launch says what to start and what the agent is given.
type Launch struct {
	Kind protocol.AgentKind
	Name string
	Path string
	Args []string
	Env  []string
	Dir  string
	// Stderr takes what the agent writes beside the protocol; nil for nowhere.
	Stderr func(line string)
}

// Starter is how an agent is started.
type Starter struct {
	Driver Driver
	Launch Launch
	// SignIn says how a person signs in when the agent offers no way by itself.
	SignIn string
	// FromJournal: the driver keeps no session and builds what its agent knows from
	// SessionConfig.History at each prompt, so a prompt tells it nothing of before.
	FromJournal bool
	// ReportsSteps: the agent's updates show each of its browser commands, so Chat
	// does not add them.
	ReportsSteps bool
	// TakesRefs: Prompt.Refs is for this agent; others are told in the text.
	TakesRefs bool
}

// Agent is a running agent. It may serve several sessions at once.
type Agent interface {
	// Shared says whether one process serves many sessions.
	Shared() bool
	// Open makes a session, or loads or resumes the one of cfg.Resume. Updates go
	// to sink in the order in which the agent made them; those that came before
	// the session's id was known are delivered after Open knows it. It returns
	// *NeedsSignIn when the agent asks for that first, and ErrNoResume when it
	// cannot load a session.
	Open(ctx context.Context, cfg SessionConfig, sink Sink) (Session, error)
	// SignIn signs in by one of the methods of NeedsSignIn.
	SignIn(ctx context.Context, method string) error
	// Done is closed when the process is gone; Err then says why.
	Done() <-chan struct{}
	Err() error
	// Close ends the process by the stop ladder and returns when it is gone. No
	// update comes after it.
	Close(ctx context.Context) error
}

// SessionConfig is what a session is given.
type SessionConfig struct {
	// Resume is the agent's own id of a session of before; empty for a new one.
	Resume string
	Dir    string
	// Tools are the browser's MCP tools.
	Tools []ToolServer
	// Actor is who the session's agent is to the browser, and Tab its tab; empty
	// when it has none.
	Actor protocol.Actor
	Tab   protocol.TabID
	// System is what we tell the agent: its tab, its tools, and that what a page
	// says is data.
	System string
	// History is what was said before the turn that runs, oldest first: its end, of
	// about limit bytes. It is for drivers whose Starter says FromJournal.
	History func(limit int) ([]Said, error)
}

// Said is one thing that was said in a conversation: a prompt, or what came of
// one.
type Said struct {
	// Prompt is what the user said; nil for everything else. Only the last pictures
	// are among it.
	Prompt *Prompt
	// Instant is set for a prompt that Pilot carried out, and what came of it.
	Instant bool
	// Entry is the entry of the journal: a text, a tool call, or the end of a turn.
	Entry protocol.ChatEntry
}

// ToolServer is an MCP server over stdio that an agent starts.
type ToolServer struct {
	Name    string
	Command string
	Args    []string
	Env     []string // "NAME=value"
}

// Session is one session of an agent. Its methods may be called at any
// time; Prompt is called once at a time.
type Session interface {
	// ID is the agent's own.
	ID() string
	Abilities() protocol.ChatAbilities
	// Prompt runs one turn and returns how it ended. Every update of the turn has
	// reached the sink before it returns. Ending ctx gives the turn up without
	// waiting; Cancel asks for its end.
	Prompt(ctx context.Context, prompt Prompt) (TurnEnd, error)
	// Steer puts a message into the turn that runs (ChatAbilities.Steer).
	Steer(ctx context.Context, prompt Prompt) error
	// Cancel asks the agent to end the turn; Prompt returns EndCancelled then.
	Cancel(ctx context.Context) error
	// SetOption sets one of the options that the session announced.
	SetOption(ctx context.Context, id, value string) error
	// Close lets the session go; the process may live on.
	Close(ctx context.Context) error
}

// Prompt is what is handed to an agent.
type Prompt struct {
	Message protocol.MessageID
	Text    string
	Images  []Image
	Files   []File
	// Refs are the elements of the conversation's tab that the user attached, where
	// Starter.TakesRefs is set.
	Refs []string
	// Plan is what the router read in the text, for the agent of instant messages;
	// nil where it was not asked. Only that agent's driver knows its type.
	Plan any
	// Model is the model to use for this turn, one of the session's choices; empty
	// for the session's.
	Model string
}

// Image is a picture in a prompt.
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
	// Brief is what was done, for another agent of the conversation; empty where the
	// agent does not say it.
	Brief string
}

// Sink takes what an agent says. Calls come one at a time, in order.
type Sink interface {
	// Update takes one update in. It returns when it is journalled.
	Update(Update)
	// Ask puts a permission to the person. It returns when the question is
	// journalled, so that no later update overtakes it; answer is called once,
	// then or later, with the id of the chosen option, or "" for none. ctx ends
	// when the question is over (the turn was cancelled, the agent ended): what
	// answer is given then is ignored.
	Ask(ctx context.Context, ask Ask, answer func(option string))
}

// Update is one change that an agent announced; exactly one field is set.
type Update struct {
	Text     *Chunk
	Thought  *Chunk
	User     *Chunk // the person's own words, repeated by a session that is loaded
	Tool     *ToolUpdate
	Plan     []protocol.ChatPlanItem
	Commands []protocol.ChatCommand
	Options  []protocol.ChatOption
	Usage    *protocol.ChatUsage
	Title    *string
	Notice   *string
}

// Chunk is a piece of text or a picture.
type Chunk struct {
	Text  string
	Image *Image
	// ID tells one message of the agent from the next, where it says so; empty
	// chunks of the same kind in a row are one message.
	ID string
}

// ToolUpdate is what an agent said of a tool call; what is nil was not said and
// stays as it is. A call that was never announced is announced by it.
type ToolUpdate struct {
	Call string
	// Name is the tool's own name, where the agent says it
	// ("mcp__pilotfish__browser_act"); else empty.
	Name    string
	Title   *string
	Kind    *string
	Status  *protocol.ToolStatus
	Input   json.RawMessage
	Content []protocol.ToolContent // replaces what was there, unless nil
	Images  []Image                // pictures among the content, in order of ContentImage
	Paths   []string
	// Answer takes the place of the call: what came of it, told once.
	Answer *Answer
}

// Answer is what came of a call, in words for the user.
type Answer struct {
	Text string // Markdown
	// Picture is a picture in the session's folder; empty for none.
	Picture string
	// Which asks which element the person means.
	Which *protocol.ChatWhich
}

// Ask is a permission that an agent asks for.
type Ask struct {
	Tool    ToolUpdate
	Options []protocol.PermissionOption
}

// ErrStuck is returned by Prompt while the agent has not ended a turn that was
// given up: what it says meanwhile would be taken for the new one's.
var ErrStuck = errors.New("the agent has not ended the turn before")

// ErrNoResume is returned by Open when the agent cannot load the session.
var ErrNoResume = errors.New("the agent cannot load the session")

// NeedsSignIn is returned when an agent wants a sign-in before anything else.
type NeedsSignIn struct { //nolint:errname // it says what is needed, and reads so where it is caught
	Methods []protocol.SignInMethod
	// Why is what the agent said of it, such as which key is missing; empty when it
	// said nothing.
	Why string
}

// Error says what to do.
func (e *NeedsSignIn) Error() string { return "the agent asks for a sign-in" }
