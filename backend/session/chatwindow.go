package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// showConversation brings a conversation to the front in the browser: its tab,
// and the panel beside it with Chat. A conversation without a tab moves to the
// front tab and stays there.
func (m *Manager) showConversation(ctx context.Context, name protocol.SessionName, id protocol.ConversationID) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	heads := conversations{s}.heads()
	at := slices.IndexFunc(heads, func(head protocol.Conversation) bool { return head.ID == id })
	if at < 0 {
		return protocol.NewError(protocol.CodeUnknownConversation, "this conversation does not exist any more", "it was deleted, or its session is not running")
	}
	tab := cmp.Or(heads[at].Tab, s.tabs.Front())
	if tab == "" {
		return protocol.NewError(protocol.CodeUnknownTab, "the session has no tab for the conversation", "open one in the browser")
	}
	event := protocol.ShowEvent{Type: protocol.PanelShow, Tab: tab, Conversation: id}
	s.panels.Show(event)
	return s.show(ctx, event)
}

// user returns the grant of the user at the window in a session.
func user(name protocol.SessionName) auth.Grant {
	return auth.Grant{
		Kind: auth.KindPanel, Session: name, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}
}

// conversationFile reads an image or a file of a conversation. path is the one
// in its entry.
func (m *Manager) conversationFile(name protocol.SessionName, path string) (protocol.ChatAttachment, error) {
	files, err := gateway{m}.Files(user(name))
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	f, err := files.Open(user(name).Actor, path)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	defer f.Close()
	return server.Attachment(f, path)
}

// OpenLink opens a web page in a new tab of a session's browser and brings the
// tab to the front.
func (m *Manager) OpenLink(ctx context.Context, name protocol.SessionName, link string) error {
	page, err := url.Parse(link)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not a web page", link), "")
	}
	address, err := json.Marshal(page.String())
	if err != nil {
		return fmt.Errorf("writing an address: %w", err)
	}
	done := gateway{m}.Command(ctx, user(name), protocol.CommandRequest{
		Command: "newtab", Args: map[string]json.RawMessage{"url": address, "wait": json.RawMessage(`"commit"`)},
	}, nil)
	if done.Error != nil {
		return done.Error
	}
	return m.ShowTab(ctx, name, done.Tab)
}
