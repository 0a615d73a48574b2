package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// showing is what a panel was asked to show and may not have heard: it was only
// being opened.
type showing struct {
	event protocol.ShowEvent
	since time.Time
}

// ShowConversation brings a conversation forward in the browser: its tab, and the
// panel beside it with Chat. One whose tab is gone is shown beside the tab in
// front, where it then stays.
func (m *Manager) ShowConversation(ctx context.Context, name protocol.SessionName, id protocol.ConversationID) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	heads := s.conversationHeads()
	at := slices.IndexFunc(heads, func(head protocol.Conversation) bool { return head.ID == id })
	if at < 0 {
		return protocol.NewError(protocol.CodeUnknownConversation, "this conversation does not exist any more", "it was deleted, or its session is not running")
	}
	tab := cmp.Or(heads[at].Tab, s.frontTab())
	if tab == "" {
		return protocol.NewError(protocol.CodeUnknownTab, "the session has no tab for the conversation", "open one in the browser")
	}
	event := protocol.ShowEvent{Type: protocol.PanelShow, Tab: tab, Conversation: id}
	s.mu.Lock()
	s.showing = showing{event, time.Now()}
	s.mu.Unlock()
	return s.show(ctx, event)
}

// frontTab is the tab that the person looks at; any other when the browser is
// behind another window.
func (s *Session) frontTab() protocol.TabID {
	s.mu.Lock()
	defer s.mu.Unlock()
	front := protocol.TabID("")
	for _, tab := range s.tabs {
		if tab.Focused {
			return tab.ID
		}
		if front == "" || tab.Active {
			front = tab.ID
		}
	}
	return front
}

// showAgain tells a panel that has just connected what it was opened for.
func (s *Session) showAgain() {
	s.mu.Lock()
	wanted := s.showing
	s.mu.Unlock()
	if wanted.event.Tab != "" && time.Since(wanted.since) < showWait {
		s.events.Publish(wanted.event)
	}
}

// shownTo notes that a panel is beside a tab and hears what is shown there.
func (s *Session) shownTo(tab protocol.TabID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.showing.event.Tab == tab {
		s.showing = showing{}
	}
}

// person is what the person at the window may do in a session.
func person(name protocol.SessionName) auth.Grant {
	return auth.Grant{
		Kind: auth.KindPanel, Session: name, Actor: protocol.Actor{Kind: protocol.ActorPerson, Name: "you"},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}
}

// ConversationFile reads a picture or file of a conversation, by the path that
// its entry has.
func (m *Manager) ConversationFile(ctx context.Context, name protocol.SessionName, path string) (protocol.ChatAttachment, error) {
	f, err := gateway{m}.File(ctx, person(name), path)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	defer f.Close()
	return server.Attachment(f, path)
}

// OpenLink opens a page of the web in a new tab of a session's browser, in front.
func (m *Manager) OpenLink(ctx context.Context, name protocol.SessionName, link string) error {
	page, err := url.Parse(link)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is not a web page", link), "")
	}
	address, err := json.Marshal(page.String())
	if err != nil {
		return fmt.Errorf("writing an address: %w", err)
	}
	done := gateway{m}.Command(ctx, person(name), protocol.CommandRequest{
		Command: "newtab", Args: map[string]json.RawMessage{"url": address, "wait": json.RawMessage(`"commit"`)},
	}, nil)
	if done.Error != nil {
		return done.Error
	}
	return m.ShowTab(ctx, name, done.Tab)
}
