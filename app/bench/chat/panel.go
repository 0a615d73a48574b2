package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/backend/protocol"
)

// chatOpenEntries is the length of the long conversation, in entries.
const chatOpenEntries = 10_000

// The conversations of the measurement.
const (
	stampConversation = protocol.ConversationID("7a3f0c11-0000-4000-8000-00000000aaaa")
	longConversation  = protocol.ConversationID("7a3f0c11-0000-4000-8000-00000000bbbb")
)

// Panel measures Chat where a user sees it: in the panel of the whole product.
func Panel() []report.Bench {
	return []report.Bench{{Rows: []string{"chat.paint", "chat.open"}, Run: benchChatFace}}
}

func benchChatFace(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program: %w", err)
	}
	agent := filepath.Join(s.Dir, StamperName)
	if err := os.Symlink(self, agent); err != nil {
		return nil, fmt.Errorf("making the agent: %w", err)
	}
	p, err := s.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := p.Painted(ctx, "ready>"); err != nil {
		return nil, err
	}
	for id, title := range map[protocol.ConversationID]string{stampConversation: "Stamps", longConversation: "Long"} {
		start := protocol.ChatStartRequest{Conversation: id, Tab: "t1", Agent: protocol.AgentCustom, Command: agent, Title: title}
		if err := p.Post(ctx, "/chat/start", start, nil); err != nil {
			return nil, err
		}
		// A conversation without a message is not listed.
		hello := protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(id), Text: "stamp 1", Route: protocol.RouteStrong}
		if err := p.Post(ctx, "/chat/send", hello, nil); err != nil {
			return nil, err
		}
	}
	paint, err := chatPaint(ctx, p, o)
	if err != nil {
		return nil, err
	}
	open, err := chatOpen(ctx, p, o)
	return append(paint, open...), err
}

// chatPaint measures each chunk, from when the agent wrote it to the frame that
// shows it.
func chatPaint(ctx context.Context, p *product.App, o report.Options) ([]report.Row, error) {
	n := 300
	if o.Quick {
		n = 40
	}
	if err := p.Eval(ctx, product.PanelScript+`; bench.choose('Stamps').then(() => bench.until(() => document.querySelector('form textarea')))`, nil); err != nil {
		return nil, fmt.Errorf("showing the conversation: %w", err)
	}
	// Start the observer before the first chunk is sent.
	watch := fmt.Sprintf(`void (bench.stamps = new Promise((resolve) => {
		const stamps = () => [...(document.querySelector('[role=log]')?.textContent ?? '').matchAll(/@(\d+\.\d{3})/g)].map((found) => found[1])
		const took = [], seen = new Set(stamps())
		const watch = new MutationObserver(() => {
			for (const at of stamps()) {
				if (seen.has(at)) continue
				seen.add(at)
				bench.after((now) => { took.push(now - Number(at)); if (took.length === %d) { watch.disconnect(); resolve(took) } })
			}
		})
		watch.observe(document, {subtree: true, childList: true, characterData: true})
	}))`, n)
	if err := p.Eval(ctx, watch, nil); err != nil {
		return nil, err
	}
	send := protocol.ChatSendRequest{Conversation: stampConversation, Message: "stamps", Text: fmt.Sprint("stamp ", n), Route: protocol.RouteStrong}
	if err := p.Post(ctx, "/chat/send", send, nil); err != nil {
		return nil, err
	}
	var took []float64
	if err := p.Eval(ctx, "bench.stamps", &took); err != nil {
		return nil, fmt.Errorf("watching the chunks: %w", err)
	}
	r := report.Row{Name: "chat.paint", Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs}
	return []report.Row{r.With99(report.Percentile(took, 0.99))}, nil
}

// chatOpen measures from the click on a conversation to the frame with its last
// screenful, in a panel that has not loaded the conversation.
func chatOpen(ctx context.Context, p *product.App, o report.Options) ([]report.Row, error) {
	send := protocol.ChatSendRequest{Conversation: longConversation, Message: "fill", Text: fmt.Sprint("fill ", chatOpenEntries), Route: protocol.RouteStrong}
	if err := p.Post(ctx, "/chat/send", send, nil); err != nil {
		return nil, err
	}
	if err := product.Until(ctx, func() error {
		var page protocol.ChatPage
		if err := p.Post(ctx, "/chat/history", protocol.ChatHistoryRequest{Conversation: longConversation, Limit: 1}, &page); err != nil {
			return err
		}
		if page.Head.State != protocol.ConversationIdle || page.Head.Entries < chatOpenEntries {
			return fmt.Errorf("the conversation has %d entries and is %s", page.Head.Entries, page.Head.State)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	runs := 9
	if o.Quick {
		runs = 3
	}
	var took []float64
	for i := range runs {
		// A new panel shows the conversation used last, so use the other one.
		last := protocol.ChatSendRequest{Conversation: stampConversation, Message: protocol.MessageID(fmt.Sprint("touch", i)), Text: "stamp 1", Route: protocol.RouteStrong}
		if err := p.Post(ctx, "/chat/send", last, nil); err != nil {
			return nil, err
		}
		if err := p.Panel.Call(ctx, "Page.reload", nil, nil); err != nil {
			return nil, fmt.Errorf("loading the panel anew: %w", err)
		}
		if err := product.Until(ctx, func() error {
			return p.Panel.Eval(ctx, `if (!document.querySelector('.scroller.ready') || window.bench) throw new Error('the panel loads')`, nil)
		}); err != nil {
			return nil, err
		}
		var ms float64
		script := fmt.Sprintf(product.PanelScript+`; bench.choose('Long').then((began) => bench.until(() => {
			const list = document.querySelector('.scroller.ready')
			return list && [...list.querySelectorAll('article')].some((one) => one.textContent.includes('Step %d of')) && list
		}).then(([at]) => at - began))`, chatOpenEntries-1)
		if err := p.Eval(ctx, script, &ms); err != nil {
			return nil, fmt.Errorf("opening the long conversation: %w", err)
		}
		took = append(took, ms)
	}
	r := report.Row{Name: "chat.open", Unit: "ms", Value: report.Percentile(took, 0.5), Rule: report.Informs}
	return []report.Row{r.With99(report.Percentile(took, 0.99))}, nil
}
