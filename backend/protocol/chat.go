package protocol

import (
	"encoding/json"
	"strings"
	"time"
)

// ConversationID names a conversation: a UUID that the panel makes.
type ConversationID string

// MessageID names a prompt: a UUID that the panel makes. Every entry of the
// response has it.
type MessageID string

// AgentPilot is our built-in agent, which needs no account and no network.
const AgentPilot AgentKind = "pilot"

// modelAgent is the prefix of the kind of an agent that is a model profile.
const modelAgent = "model:"

// ModelAgent returns the agent of Chat for a model profile.
func ModelAgent(profile string) AgentKind { return AgentKind(modelAgent + profile) }

// ModelProfile returns the model profile of an agent of Chat; false for an
// agent that is not a model profile.
func ModelProfile(kind AgentKind) (profile string, ok bool) {
	return strings.CutPrefix(string(kind), modelAgent)
}

// ConversationState is what a conversation is doing.
type ConversationState string

// The states of a conversation. They are computed from the turn that runs, and
// never read from a file, so no conversation is "running" without a turn.
const (
	ConversationIdle     ConversationState = "idle"
	ConversationStarting ConversationState = "starting" // its agent starts or loads the session
	ConversationRunning  ConversationState = "running"
	ConversationNeedsYou ConversationState = "needs_you" // a permission waits for the user
	ConversationFailed   ConversationState = "failed"    // its agent process ended; one click starts it again
	ConversationSignIn   ConversationState = "sign_in"   // the agent needs a sign-in first
	ConversationTerminal ConversationState = "terminal"  // the session continues in a terminal, which holds the lease
)

// Conversation is a conversation without its entries: what lists, tabs and tray
// show of it, and what the composer needs.
type Conversation struct {
	ID    ConversationID `json:"id"`
	Title string         `json:"title"`
	// Tab is the tab beside the conversation; empty when the tab was closed.
	Tab TabID `json:"tab,omitempty"`
	// URL is the last address of its tab; only when Tab is empty.
	URL string `json:"url,omitempty"`
	// Agent is the agent that answers; AgentName is its name for the user.
	Agent     AgentKind `json:"agent"`
	AgentName string    `json:"agentName"`
	// AgentSession is the agent's own id of the session; empty before the first
	// turn.
	AgentSession string            `json:"agentSession,omitempty"`
	State        ConversationState `json:"state"`
	// Message is the prompt whose turn runs; empty when none runs.
	Message MessageID `json:"message,omitempty"`
	// Quiet is set when a running turn has produced nothing for the time in
	// Settings. The user is then offered to end it.
	Quiet bool   `json:"quiet,omitempty"`
	Error *Error `json:"error,omitempty"`
	// Terminal is the terminal in which the conversation continues
	// (ConversationTerminal).
	Terminal TerminalID `json:"terminal,omitempty"`
	// Confined: its agent runs and cannot see Pilotfish itself, see Confinement.
	Confined bool `json:"confined,omitempty"`

	Queue []QueuedMessage `json:"queue"`
	Draft string          `json:"draft,omitempty"`

	// Options are what the agent lets the user choose: mode, model and others.
	Options  []ChatOption   `json:"options"`
	Commands []ChatCommand  `json:"commands"`
	Usage    *ChatUsage     `json:"usage,omitempty"`
	SignIn   []SignInMethod `json:"signIn,omitempty"`
	Can      ChatAbilities  `json:"can"`

	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	// Index is the last index that was assigned in this conversation.
	Index uint64 `json:"index"`
	// Entries is the number of entries.
	Entries int `json:"entries"`
}

// ChatAbilities are what a conversation's agent can do.
type ChatAbilities struct {
	Images bool `json:"images"` // accepts images in a prompt
	Resume bool `json:"resume"` // can load an earlier session
	Steer  bool `json:"steer"`  // accepts a message in a running turn
	// Terminal: the session can be continued in a terminal, and back.
	Terminal bool `json:"terminal"`
}

// QueuedMessage is a prompt that waits for its turn.
type QueuedMessage struct {
	ID          MessageID        `json:"id"`
	Text        string           `json:"text"`
	Attachments []ChatAttachment `json:"attachments"`
	Route       RouteKind        `json:"route,omitempty"` // the user's choice; empty: the rules decide
}

// ChatAttachment is sent beside the text of a prompt.
type ChatAttachment struct {
	Kind AttachmentKind `json:"kind"`
	// Name is the name for the user.
	Name string `json:"name"`
	// Data is the content of an image or file in base64; the content has at most
	// MaxAttachment bytes. In the journal Data is empty, and Path names the file
	// in the session's folder.
	Data string `json:"data,omitempty"`
	Mime string `json:"mime,omitempty"`
	Path string `json:"path,omitempty"`
	Tab  TabID  `json:"tab,omitempty"`
	Ref  string `json:"ref,omitempty"` // an element of Tab
	Text string `json:"text,omitempty"`
	// Origin is where the text of a page comes from. The agent gets such a text
	// in an envelope; the user never sees the envelope.
	Origin string `json:"origin,omitempty"`
}

// AttachmentKind says what an attachment is.
type AttachmentKind string

// The kinds of attachment.
const (
	AttachImage   AttachmentKind = "image"
	AttachFile    AttachmentKind = "file"
	AttachTab     AttachmentKind = "tab"     // a mentioned tab
	AttachElement AttachmentKind = "element" // an element that was picked on a page
	AttachText    AttachmentKind = "text"    // text of a page: a selection, facts about an element
)

// RouteKind says who carries out a message.
type RouteKind string

// The routes.
const (
	RouteInstant RouteKind = "instant" // Pilot understands it completely and carries it out at once
	RouteFast    RouteKind = "fast"    // the agent's fast model
	RouteStrong  RouteKind = "strong"  // the agent's strong model
)

// ChatRoute is the route that a message took, and why.
type ChatRoute struct {
	Kind   RouteKind `json:"kind"`
	Reason string    `json:"reason"` // "you asked why", "click Save is an instant command"
	Model  string    `json:"model,omitempty"`
	// Word is the word of the table that selected the strong model.
	Word string `json:"word,omitempty"`
	// Chosen is set when the user chose the route.
	Chosen bool `json:"chosen,omitempty"`
}

// ChatOption is an option of the agent that the user can choose: its mode, its
// model, or another configuration option.
type ChatOption struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Category is "mode", "model", "thought_level" or the agent's own category.
	Category string       `json:"category"`
	Value    string       `json:"value"`
	Choices  []ChatChoice `json:"choices"`
}

// ChatChoice is one value of an option.
type ChatChoice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
}

// ChatCommand is a slash command of the agent.
type ChatCommand struct {
	Name  string `json:"name"` // without the slash
	About string `json:"about"`
	Hint  string `json:"hint,omitempty"` // of its input
}

// ChatUsage is the usage of a conversation, as its agent reports it.
type ChatUsage struct {
	Input  int `json:"input,omitempty"`  // tokens
	Output int `json:"output,omitempty"` // tokens
	// Context is how many tokens of the context window are used, ContextSize its
	// size.
	Context     int     `json:"context,omitempty"`
	ContextSize int     `json:"contextSize,omitempty"`
	Cost        float64 `json:"cost,omitempty"`
	Currency    string  `json:"currency,omitempty"`
}

// SignInMethod is one way to sign in to an agent.
type SignInMethod struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
}

// ChatEntryKind says what an entry of a conversation is.
type ChatEntryKind string

// The kinds of entry.
const (
	EntryUser       ChatEntryKind = "user"
	EntryText       ChatEntryKind = "text"    // the agent's text, Markdown
	EntryThought    ChatEntryKind = "thought" // the agent's thinking
	EntryTool       ChatEntryKind = "tool"
	EntryPlan       ChatEntryKind = "plan"
	EntryPermission ChatEntryKind = "permission"
	EntryNotice     ChatEntryKind = "notice" // a line of ours, such as: the history was given as context, the agent was started again
	EntryEnd        ChatEntryKind = "end"    // the end of a turn; each turn has exactly one
)

// ChatEntry is one item of a conversation. Kind says which fields are used. All
// its texts come from the user, agents or pages, except in EntryNotice.
type ChatEntry struct {
	// ID is unique in the conversation.
	ID string `json:"id"`
	// Message is the prompt that the entry belongs to.
	Message MessageID     `json:"message,omitempty"`
	Kind    ChatEntryKind `json:"kind"`
	At      time.Time     `json:"at"`
	// Index is the index of the event that made the entry. Entries are shown in
	// this order.
	Index uint64 `json:"index"`
	Text  string `json:"text,omitempty"` // user, text, thought, notice
	// Open is set while more of the text, the tool call or the answer is expected.
	Open bool `json:"open,omitempty"`
	// Which asks the user which element they meant (text).
	Which *ChatWhich `json:"which,omitempty"`

	Attachments []ChatAttachment `json:"attachments,omitempty"` // user
	Images      []ChatAttachment `json:"images,omitempty"`      // text: images that the agent sent
	Route       *ChatRoute       `json:"route,omitempty"`       // user
	Tool        *ChatTool        `json:"tool,omitempty"`
	Plan        []ChatPlanItem   `json:"plan,omitempty"`
	Permission  *ChatPermission  `json:"permission,omitempty"`
	End         *ChatEnd         `json:"end,omitempty"`
}

// ChatWhich asks which of several elements of a page the user means. The answer
// is a message with the text Text; the elements of Chosen and the newly chosen
// one are attached to it.
type ChatWhich struct {
	Tab      TabID             `json:"tab,omitempty"`
	Elements []TaskPlainChoice `json:"elements"`
	// More is how many further elements there are.
	More int    `json:"more,omitempty"`
	Text string `json:"text"`
	// Chosen are the refs of the elements that were chosen earlier.
	Chosen []string `json:"chosen,omitempty"`
}

// ToolStatus is the state of a tool call.
type ToolStatus string

// The states of a tool call; the last three are final.
const (
	ToolPending   ToolStatus = "pending"
	ToolRunning   ToolStatus = "running"
	ToolDone      ToolStatus = "done"
	ToolFailed    ToolStatus = "failed"
	ToolCancelled ToolStatus = "cancelled"
)

// ChatTool is a tool call of the agent.
type ChatTool struct {
	// Call is the agent's own id of the call.
	Call string `json:"call"`
	// Title is the agent's text. Line is our text for a step in the browser
	// ("Clicked Save"), else empty.
	Title string `json:"title"`
	Line  string `json:"line,omitempty"`
	// Name is the tool's own name, if the agent reports it.
	Name string `json:"name,omitempty"`
	// Kind is ACP's kind: read, edit, delete, move, search, execute, think, fetch,
	// switch_mode, other; or "browser" for a step in the browser.
	Kind    string        `json:"kind"`
	Status  ToolStatus    `json:"status"`
	Input   string        `json:"input,omitempty"` // JSON, indented
	Content []ToolContent `json:"content"`
	Paths   []string      `json:"paths,omitempty"`
	// Screenshot is the path of a screenshot after a step, for GET /file.
	Screenshot string `json:"screenshot,omitempty"`
	// Denied says that the user was asked about a step in the browser and said
	// no. Content is then written for the agent, not for the user.
	Denied bool `json:"denied,omitempty"`
}

// ToolContent is a result of a tool call: a text, a diff or an image.
type ToolContent struct {
	Kind  ToolContentKind `json:"kind"`
	Text  string          `json:"text,omitempty"`
	Path  string          `json:"path,omitempty"` // of a diff, or of an image for GET /file
	Old   string          `json:"old,omitempty"`
	New   string          `json:"new,omitempty"`
	Fresh bool            `json:"fresh,omitempty"` // the diff creates a new file
	// Line is the line of the file at which Old and New begin, from 1; 0 when it
	// is not known.
	Line int `json:"line,omitempty"`
}

// ToolContentKind says what a ToolContent is.
type ToolContentKind string

// The kinds of ToolContent.
const (
	ContentText  ToolContentKind = "text"
	ContentDiff  ToolContentKind = "diff"
	ContentImage ToolContentKind = "image"
)

// ChatPlanItem is one line of an agent's plan.
type ChatPlanItem struct {
	Text     string `json:"text"`
	Status   string `json:"status"`             // pending, in_progress, completed
	Priority string `json:"priority,omitempty"` // high, medium, low
}

// ChatPermission is a question of the agent to the user.
type ChatPermission struct {
	// Approval is the broker's id, which an answer needs; empty once it was
	// answered.
	Approval string `json:"approval,omitempty"`
	// Tool is the entry of the tool call that it is about, if there is one.
	// Everything to judge is in that entry or in Subject.
	Tool    string             `json:"tool,omitempty"`
	Subject ChatTool           `json:"subject"`
	Tab     TabID              `json:"tab,omitempty"`
	Origin  string             `json:"origin,omitempty"` // of the page that it is about
	Options []PermissionOption `json:"options"`
	// Answer is the id of the chosen option; Outcome describes it ("allowed once
	// by you in the tray", "cancelled").
	Answer  string `json:"answer,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// EndReason says how a turn ended.
type EndReason string

// The ends of a turn.
const (
	EndDone      EndReason = "done"
	EndCancelled EndReason = "cancelled"
	EndRefused   EndReason = "refused"    // the model refused
	EndMaxTokens EndReason = "max_tokens" // the model's limit
	EndMaxTurns  EndReason = "max_turns"  // the agent's limit of requests
	EndFailed    EndReason = "failed"     // the agent returned an error
	EndCrashed   EndReason = "crashed"    // the agent's process ended, or its output was not the protocol
	EndRestarted EndReason = "restarted"  // Pilotfish ended during the turn
)

// ChatEnd is the end of a turn.
type ChatEnd struct {
	Reason     EndReason  `json:"reason"`
	Error      *Error     `json:"error,omitempty"`
	Usage      *ChatUsage `json:"usage,omitempty"`
	DurationMS int64      `json:"durationMs"`
}

// ChatOp says what a ChatEvent does.
type ChatOp string

// The operations. A viewer that applies all of them in the order of their
// indexes has the whole conversation.
const (
	ChatPut    ChatOp = "put"    // Entry is new, or replaces the entry with its ID
	ChatAppend ChatOp = "append" // append Text to the text of the entry ID
	ChatRemove ChatOp = "remove" // remove the entry ID and all entries after it (edit and resend)
	ChatHead   ChatOp = "head"   // Head replaces the conversation's head
)

// ChatEvent is one change of a conversation. The backend assigns its index
// once, on receipt, and writes the event before anybody sees it. Head events
// have the index of the last entry event and are not counted.
type ChatEvent struct {
	Index uint64        `json:"index"`
	Op    ChatOp        `json:"op"`
	Entry *ChatEntry    `json:"entry,omitempty"`
	ID    string        `json:"id,omitempty"`
	Text  string        `json:"text,omitempty"`
	Head  *Conversation `json:"head,omitempty"`
}

// ChatPage is a compacted part of a conversation: its entries as they are at
// Index.
type ChatPage struct {
	Head Conversation `json:"head"`
	// Entries are in the order of their indexes.
	Entries []ChatEntry `json:"entries"`
	// Index is the last event that the entries include; a viewer continues with
	// after=Index.
	Index uint64 `json:"index"`
	// More is set when there are entries before the first of these.
	More bool `json:"more"`
}

// ChatStartRequest is the body of POST /chat/start. It does not change an
// existing conversation.
type ChatStartRequest struct {
	Conversation ConversationID `json:"conversation"`
	Tab          TabID          `json:"tab,omitempty"`
	Agent        AgentKind      `json:"agent,omitempty"` // empty: the one in Settings
	Command      string         `json:"command,omitempty"`
	Title        string         `json:"title,omitempty"`
	// Resume is the id of a PastSession of Agent, which the conversation continues, and
	// Folder its folder, where only the agent knows it.
	Resume string `json:"resume,omitempty"`
	Folder string `json:"folder,omitempty"`
}

// ChatSendRequest is the body of POST /chat/send. A message with an id that was
// sent before is ignored.
type ChatSendRequest struct {
	Conversation ConversationID   `json:"conversation"`
	Message      MessageID        `json:"message"`
	Text         string           `json:"text"`
	Attachments  []ChatAttachment `json:"attachments,omitempty"`
	Route        RouteKind        `json:"route,omitempty"`
	// Now interrupts the running turn (or steers it, if the agent can) instead of
	// queueing the message.
	Now bool `json:"now,omitempty"`
	// Replaces is an earlier user entry: it and all entries after it are removed
	// first.
	Replaces string `json:"replaces,omitempty"`
}

// ChatQueueRequest is the body of POST /chat/queue.
type ChatQueueRequest struct {
	Conversation ConversationID `json:"conversation"`
	Action       QueueAction    `json:"action"`
	Message      MessageID      `json:"message"`
	Text         string         `json:"text,omitempty"` // edit
	To           int            `json:"to,omitempty"`   // move: the new place, from 0
}

// QueueAction is what to do with a queued message.
type QueueAction string

// The actions on a queued message.
const (
	QueueEdit   QueueAction = "edit"
	QueueMove   QueueAction = "move"
	QueueRemove QueueAction = "remove"
	QueueNow    QueueAction = "now"
)

// ChatSetRequest is the body of POST /chat/set: fields that are not null are
// set.
type ChatSetRequest struct {
	Conversation ConversationID `json:"conversation"`
	Title        *string        `json:"title,omitempty"`
	Draft        *string        `json:"draft,omitempty"`
	// DraftOf is the message as which the draft was sent, when the sender does not
	// know whether it arrived. If the backend has that message, it ignores the
	// draft.
	DraftOf MessageID  `json:"draftOf,omitempty"`
	Agent   *AgentKind `json:"agent,omitempty"`
	Command *string    `json:"command,omitempty"`
	Tab     *TabID     `json:"tab,omitempty"`
	// Option and Value set one of the agent's options.
	Option string `json:"option,omitempty"`
	Value  string `json:"value,omitempty"`
}

// ChatAnswerRequest is the body of POST /chat/answer.
type ChatAnswerRequest struct {
	Conversation ConversationID `json:"conversation"`
	Approval     string         `json:"approval"`
	Option       string         `json:"option"` // the id of a PermissionOption
}

// ChatRequest is the body of the routes that need only a conversation: POST
// /chat/cancel, /chat/restart, /chat/delete, /chat/terminal (continue in a
// terminal), /chat/resume (continue in Chat).
type ChatRequest struct {
	Conversation ConversationID `json:"conversation"`
}

// ChatSignInRequest is the body of POST /chat/sign-in.
type ChatSignInRequest struct {
	Conversation ConversationID `json:"conversation"`
	Method       string         `json:"method"`
}

// ChatHistoryRequest is the body of POST /chat/history (the panel) and the
// query of GET /chat/history (all other clients): the last Limit entries before
// the index Before; 0 means the end.
type ChatHistoryRequest struct {
	Conversation ConversationID `json:"conversation"`
	Before       uint64         `json:"before,omitempty"`
	Limit        int            `json:"limit,omitempty"`
}

// ChatRouteRuleRequest is the body of POST /chat/route-rule. With Strong,
// messages with this word go to the strong model from now on; without it, the
// word no longer has that effect.
type ChatRouteRuleRequest struct {
	Word   string `json:"word"`
	Strong bool   `json:"strong"`
}

// ChatScreenshotRequest is the body of POST /chat/screenshot; the reply is a
// ChatAttachment with the screenshot.
type ChatScreenshotRequest struct {
	Tab TabID `json:"tab"`
}

// ChatSearchRequest is the body of POST /chat/search, which searches all
// conversations of the session.
type ChatSearchRequest struct {
	Text  string `json:"text"`
	Limit int    `json:"limit,omitempty"`
}

// ChatFound is one match of a search.
type ChatFound struct {
	Conversation ConversationID `json:"conversation"`
	Title        string         `json:"title"`
	Entry        string         `json:"entry"`
	Index        uint64         `json:"index"`
	At           time.Time      `json:"at"`
	// Before and After are the text around the match.
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// ChatSearchReply is the reply of POST /chat/search.
type ChatSearchReply struct {
	Found []ChatFound `json:"found"`
}

// ChatListReply is the reply of GET /chat/list, newest first.
type ChatListReply struct {
	Conversations []Conversation `json:"conversations"`
}

// ChatPathsRequest is the body of POST /chat/paths, which finds files of the
// agents' working folder for a mention.
type ChatPathsRequest struct {
	Text string `json:"text"` // words that the path contains
}

// ChatPathsReply is the reply of POST /chat/paths: paths in the working folder,
// the best match first. A folder's path ends with a slash.
type ChatPathsReply struct {
	Paths []string `json:"paths"`
}

// ChatExportRequest is the body of POST /chat/export.
type ChatExportRequest struct {
	Conversation ConversationID `json:"conversation"`
	Format       string         `json:"format"` // "markdown" or "json"
}

// ChatExportReply is the reply of POST /chat/export.
type ChatExportReply struct {
	Name string `json:"name"` // a file name
	Text string `json:"text"`
}

// ChatEventsEvent is sent to a panel that watches a conversation.
type ChatEventsEvent struct {
	Type         PanelEventType `json:"type" tstype:"'chat'"`
	Conversation ConversationID `json:"conversation"`
	Events       []ChatEvent    `json:"events"`
	// Page is set instead of Events when the viewer was too far behind.
	Page *ChatPage `json:"page,omitempty"`
}

// ConversationEvent reports that a conversation's head changed or is new. It is
// sent to every panel.
type ConversationEvent struct {
	Type         PanelEventType `json:"type" tstype:"'conversation'"`
	Conversation Conversation   `json:"conversation"`
}

// ConversationGoneEvent reports that a conversation was deleted.
type ConversationGoneEvent struct {
	Type         PanelEventType `json:"type" tstype:"'conversation_gone'"`
	Conversation ConversationID `json:"conversation"`
}

// Indented returns JSON indented for a user; text that is not JSON is returned
// unchanged.
func Indented(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	// For a user, && must stay && and not become \u0026\u0026.
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
