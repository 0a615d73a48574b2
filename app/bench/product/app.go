package product

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// PanelScript defines helpers that both measurements use in the panel. A change
// made in a frame is on the screen after that frame, so the time is taken in the
// task after it.
const PanelScript = `window.bench ??= (() => {
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

// Eval evaluates an expression in the panel. Its error contains what the panel
// shows.
func (p *App) Eval(ctx context.Context, script string, out any) error {
	within, cancel := context.WithTimeout(ctx, ProductPatience)
	defer cancel()
	err := p.Panel.Eval(within, script, out)
	if err != nil {
		var text string
		_ = p.Panel.Eval(ctx, "document.body.innerText", &text)
		return fmt.Errorf("%w; the panel shows: %s", err, text)
	}
	return nil
}

// Post sends a request to a route of Chat with the token of the command line.
func (p *App) Post(ctx context.Context, path string, in, out any) error {
	raw, err := os.ReadFile(filepath.Join(p.Home, "state", "pilotfish.json"))
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
	defer func() { _ = resp.Body.Close() }() // it is read to its end below, or an error does not matter
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

// Command runs a command as the command line does, and decodes its data into
// into.
func (p *App) Command(ctx context.Context, tab protocol.TabID, name string, args map[string]any, into any) error {
	raw := make(map[string]json.RawMessage, len(args))
	for key, value := range args {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		raw[key] = data
	}
	var reply protocol.CommandReply
	if err := p.Post(ctx, "/command", protocol.CommandRequest{Command: name, Args: raw, Tab: tab}, &reply); err != nil {
		return err
	}
	if !reply.OK {
		return fmt.Errorf("%s: %s", name, reply.Text)
	}
	if into == nil {
		return nil
	}
	data, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
