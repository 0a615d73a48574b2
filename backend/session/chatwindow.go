package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
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

// OpenLink opens a web page in a new tab of a session's browser and brings the
// tab to the front, where the user is at the desktop.
func (m *Manager) OpenLink(ctx context.Context, call op.Call, link string) error {
	address, err := webPage(link)
	if err != nil {
		return err
	}
	done := gateway{m}.Command(ctx, op.ByUser(call.Session, "").Grant, protocol.CommandRequest{
		Command: "newtab", Args: map[string]json.RawMessage{"url": address, "wait": json.RawMessage(`"commit"`)},
	}, nil)
	switch {
	case done.Error != nil:
		return done.Error
	case call.Away:
		return nil
	}
	return m.ShowTab(ctx, call.Session, done.Tab)
}

// webPage returns the address of a web page as JSON. It refuses all others, such as files.
func webPage(link string) (json.RawMessage, error) {
	page, err := url.Parse(link)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not a web page", link), "")
	}
	return json.Marshal(page.String())
}
