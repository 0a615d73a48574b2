package protocol

import "time"

// PastSession is a session that an agent keeps itself, begun in a terminal, in Chat or in
// another program. Its texts are foreign.
type PastSession struct {
	Agent     AgentKind `json:"agent"`
	AgentName string    `json:"agentName"`
	// ID is the agent's own id of the session.
	ID string `json:"id"`
	// Title is its title, or else its first prompt: one line.
	Title string `json:"title"`
	// Folder is where it was begun. It is continued there.
	Folder  string    `json:"folder"`
	Updated time.Time `json:"updated"`
	// Conversation has the session in Chat; empty for one that was begun elsewhere.
	Conversation ConversationID `json:"conversation,omitempty"`
	// Terminal says that it can be continued in a terminal, and Chat that it can in Chat.
	Terminal bool `json:"terminal,omitempty"`
	Chat     bool `json:"chat,omitempty"`
}

// PastSessionsRequest is the body of POST /chat/past.
type PastSessionsRequest struct {
	// Agent is asked for its sessions itself, if it offers that over ACP. Its process is
	// started for the question. Empty asks none: only files are read.
	Agent AgentKind `json:"agent,omitempty"`
}

// PastSessionsReply is the reply of POST /chat/past, the one that was used last first.
type PastSessionsReply struct {
	Sessions []PastSession `json:"sessions"`
	// Problem says why the agent could not be asked.
	Problem *Error `json:"problem,omitempty"`
}
