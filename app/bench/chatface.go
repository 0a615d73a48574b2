package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// chatOpenEntries is how long that conversation is.
const chatOpenEntries = 10_000

// The conversations of the measurement.
const (
	stampTalk = protocol.ConversationID("7a3f0c11-0000-4000-8000-00000000aaaa")
	longTalk  = protocol.ConversationID("7a3f0c11-0000-4000-8000-00000000bbbb")
)

// chatFaceBenches measure Chat where a person sees it: in the panel of the whole
// product.
func chatFaceBenches() []bench {
	return []bench{{rows: []string{"chat.paint", "chat.open"}, run: benchChatFace}}
}

func benchChatFace(ctx context.Context, o options) (rows []row, err error) {
	s, err := newStage(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program: %w", err)
	}
	agent := filepath.Join(s.dir, stamperName)
	if err := os.Symlink(self, agent); err != nil {
		return nil, fmt.Errorf("making the agent: %w", err)
	}
	p, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if _, err := p.painted(ctx, "ready>"); err != nil {
		return nil, err
	}
	for id, title := range map[protocol.ConversationID]string{stampTalk: "Stamps", longTalk: "Long"} {
		start := protocol.ChatStartRequest{Conversation: id, Tab: "t1", Agent: protocol.AgentCustom, Command: agent, Title: title}
		if err := p.chat(ctx, "/chat/start", start, nil); err != nil {
			return nil, err
		}
		// One without a word is not listed.
		hello := protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(id), Text: "stamp 1", Route: protocol.RouteStrong}
		if err := p.chat(ctx, "/chat/send", hello, nil); err != nil {
			return nil, err
		}
	}
	paint, err := p.chatPaint(ctx, o)
	if err != nil {
		return nil, err
	}
	open, err := p.chatOpen(ctx, o)
	return append(paint, open...), err
}

// chatFaceScript is what both measurements use in the panel. A change that a
// frame makes is on the screen with that frame: the task behind it comes after.
const chatFaceScript = `window.bench ??= (() => {
	const after = (run) => { const c = new MessageChannel(); c.port1.onmessage = () => { c.port1.close(); run(performance.timeOrigin + performance.now()) }; c.port2.postMessage(0) }
	const until = (look) => new Promise((resolve) => {
		const go = () => { const found = look(); if (found) { watch.disconnect(); after((at) => resolve([at, found])) } return found }
		const watch = new MutationObserver(go)
		watch.observe(document, {subtree: true, childList: true, characterData: true, attributes: true})
		go()
	})
	const button = (text) => [...document.querySelectorAll('section li > button')].find((b) => b.textContent.includes(text))
	return {
		after, until,
		async choose(title) {
			document.querySelector('[aria-label=Faces] [role=tab]:nth-child(2)').click()
			await until(() => document.querySelector('header .title'))
			document.querySelector('header .title').click()
			const [, found] = await until(() => button(title))
			const began = performance.timeOrigin + performance.now()
			found.click()
			return began
		},
	}
})()`

// chatPaint measures each chunk from when the agent wrote it to the frame that
// shows it.
func (p *play) chatPaint(ctx context.Context, o options) ([]row, error) {
	n := 300
	if o.quick {
		n = 40
	}
	if err := p.look(ctx, chatFaceScript+`; bench.choose('Stamps').then(() => bench.until(() => document.querySelector('form textarea')))`, nil); err != nil {
		return nil, fmt.Errorf("showing the conversation: %w", err)
	}
	// The observer is there before the first chunk is.
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
	if err := p.look(ctx, watch, nil); err != nil {
		return nil, err
	}
	send := protocol.ChatSendRequest{Conversation: stampTalk, Message: "stamps", Text: fmt.Sprint("stamp ", n), Route: protocol.RouteStrong}
	if err := p.chat(ctx, "/chat/send", send, nil); err != nil {
		return nil, err
	}
	var took []float64
	if err := p.look(ctx, "bench.stamps", &took); err != nil {
		return nil, fmt.Errorf("watching the chunks: %w", err)
	}
	r := row{Name: "chat.paint", Unit: "ms", Value: percentile(took, 0.5), Rule: informs}
	return []row{r.with99(percentile(took, 0.99))}, nil
}

// chatOpen measures from the press on a conversation to the frame with its last
// screenful, in a panel that knows nothing of it.
func (p *play) chatOpen(ctx context.Context, o options) ([]row, error) {
	send := protocol.ChatSendRequest{Conversation: longTalk, Message: "fill", Text: fmt.Sprint("fill ", chatOpenEntries), Route: protocol.RouteStrong}
	if err := p.chat(ctx, "/chat/send", send, nil); err != nil {
		return nil, err
	}
	if err := until(ctx, func() error {
		var page protocol.ChatPage
		if err := p.chat(ctx, "/chat/history", protocol.ChatHistoryRequest{Conversation: longTalk, Limit: 1}, &page); err != nil {
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
	if o.quick {
		runs = 3
	}
	var took []float64
	for i := range runs {
		// The other one was used last, so it is what a new panel shows.
		last := protocol.ChatSendRequest{Conversation: stampTalk, Message: protocol.MessageID(fmt.Sprint("touch", i)), Text: "stamp 1", Route: protocol.RouteStrong}
		if err := p.chat(ctx, "/chat/send", last, nil); err != nil {
			return nil, err
		}
		if err := p.panel.Call(ctx, "Page.reload", nil, nil); err != nil {
			return nil, fmt.Errorf("loading the panel anew: %w", err)
		}
		if err := until(ctx, func() error {
			return p.panel.Eval(ctx, `if (!document.querySelector('.scroller.ready') || window.bench) throw new Error('the panel loads')`, nil)
		}); err != nil {
			return nil, err
		}
		var ms float64
		script := fmt.Sprintf(chatFaceScript+`; bench.choose('Long').then((began) => bench.until(() => {
			const list = document.querySelector('.scroller.ready')
			return list && [...list.querySelectorAll('article')].some((one) => one.textContent.includes('Step %d of')) && list
		}).then(([at]) => at - began))`, chatOpenEntries-1)
		if err := p.look(ctx, script, &ms); err != nil {
			return nil, fmt.Errorf("opening the long conversation: %w", err)
		}
		took = append(took, ms)
	}
	r := row{Name: "chat.open", Unit: "ms", Value: percentile(took, 0.5), Rule: informs}
	return []row{r.with99(percentile(took, 0.99))}, nil
}

// look evaluates in the panel; an error says what the panel shows.
func (p *play) look(ctx context.Context, script string, out any) error {
	within, cancel := context.WithTimeout(ctx, productPatience)
	defer cancel()
	err := p.panel.Eval(within, script, out)
	if err != nil {
		var text string
		_ = p.panel.Eval(ctx, "document.body.innerText", &text)
		return fmt.Errorf("%w; the panel shows: %s", err, text)
	}
	return nil
}

// chat asks a route of Chat with the token of the command line.
func (p *play) chat(ctx context.Context, path string, in, out any) error {
	raw, err := os.ReadFile(filepath.Join(p.home, "state", "pilotfish.json"))
	if err != nil {
		return fmt.Errorf("reading the endpoint: %w", err)
	}
	var at protocol.Endpoint
	if err := json.Unmarshal(raw, &at); err != nil {
		return fmt.Errorf("reading the endpoint: %w", err)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("asking %s: %w", path, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", at.Port, path), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("asking %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+at.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking %s: %w", path, err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its end below, or not worth it
	if resp.StatusCode != http.StatusOK {
		var refused protocol.ErrorReply
		_ = json.NewDecoder(resp.Body).Decode(&refused)
		return fmt.Errorf("asking %s: %s: %s", path, resp.Status, refused.Error.Message)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("asking %s: %w", path, err)
	}
	return nil
}
