package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

type object = map[string]any

// session is a conversation with a client.
type session struct {
	agent  *agent
	id     string
	cwd    string
	tools  []string // the names of its MCP servers, and what those at an address are given with
	system string

	model, mode string
	history     []string // prompts, for a client that loads it

	stop context.CancelFunc // ends the running turn
}

// handle answers a request or handles a notification.
func (a *agent) handle(id json.RawMessage, method string, params json.RawMessage) {
	var p struct {
		Session string `json:"sessionId"`
		Cwd     string `json:"cwd"`
		Servers []struct {
			Type    string `json:"type"`
			Name    string `json:"name"`
			URL     string `json:"url"`
			Headers []struct{ Name, Value string }
		} `json:"mcpServers"`
		Meta struct {
			System struct {
				Append string `json:"append"`
			} `json:"systemPrompt"`
		} `json:"_meta"`
		Prompt   []block         `json:"prompt"`
		ModeID   string          `json:"modeId"`
		ModelID  string          `json:"modelId"`
		ConfigID string          `json:"configId"`
		Value    json.RawMessage `json:"value"`
		Cursor   string          `json:"cursor"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		a.refuse(id, -32602, err.Error())
		return
	}
	a.mu.Lock()
	s := a.sessions[p.Session]
	a.mu.Unlock()
	names := make([]string, 0, len(p.Servers))
	for _, server := range p.Servers {
		name := server.Name
		if server.Type != "" {
			name += fmt.Sprint(" ", server.Type, " ", server.URL, " ", server.Headers)
		}
		names = append(names, name)
	}
	switch method {
	case "initialize":
		a.initialize(id)
	case "authenticate":
		a.mu.Lock()
		a.signedIn = true
		a.mu.Unlock()
		a.reply(id, object{})
	case "session/new":
		a.create(id, p.Cwd, names, p.Meta.System.Append)
	case "session/load", "session/resume":
		a.load(id, method, p.Session, p.Cwd, names, p.Meta.System.Append)
	case "session/list":
		a.list(id, p.Cursor)
	case "session/cancel":
		if s != nil {
			a.mu.Lock()
			s.stop()
			a.mu.Unlock()
		}
	case "session/prompt", "session/set_mode", "session/set_model", "session/set_config_option", "session/close":
		if s == nil {
			a.refuse(id, -32602, "no session "+p.Session)
			return
		}
		switch method {
		case "session/prompt":
			ctx, stop := context.WithCancel(context.Background())
			a.mu.Lock()
			s.stop = stop
			a.mu.Unlock()
			go func() {
				defer stop()
				(&turn{session: s, ctx: ctx, id: id, prompt: p.Prompt}).run()
			}()
		case "session/set_mode":
			s.mode = p.ModeID
			a.reply(id, object{})
		case "session/set_model":
			s.model = p.ModelID
			a.reply(id, object{})
		case "session/close":
			a.mu.Lock()
			delete(a.sessions, p.Session)
			a.mu.Unlock()
			s.write()
			a.reply(id, object{})
		default:
			var value string
			_ = json.Unmarshal(p.Value, &value) // a boolean is no string; it changes nothing here
			switch p.ConfigID {
			case "model":
				s.model = value
			case "mode":
				s.mode = value
			}
			if a.hasty {
				a.update(s.id, object{"sessionUpdate": "config_option_update", "configOptions": s.configOptions()})
			}
			a.reply(id, object{"configOptions": s.configOptions()})
		}
	default:
		if id != nil {
			a.refuse(id, -32601, "no method "+method)
		}
	}
}

func (a *agent) initialize(id json.RawMessage) {
	can := object{
		"loadSession":        !a.noLoad,
		"promptCapabilities": object{"image": !a.noImages, "embeddedContext": true},
	}
	if a.mcpHTTP {
		can["mcpCapabilities"] = object{"http": true}
	}
	sessions := object{"close": object{}}
	if a.lists {
		sessions["list"] = object{}
	}
	if a.resume || a.boasts {
		sessions["resume"] = object{}
	}
	can["sessionCapabilities"] = sessions
	a.reply(id, object{
		"protocolVersion": a.version, "agentCapabilities": can,
		"agentInfo":   object{"name": "scripted", "version": "1.0.0"},
		"authMethods": []object{{"id": "browser", "name": "Sign in with a browser", "description": "Opens a page"}},
	})
}

func (a *agent) create(id json.RawMessage, cwd string, tools []string, system string) {
	a.mu.Lock()
	if a.signIn && !a.signedIn {
		a.mu.Unlock()
		a.refuse(id, -32000, "Authentication required")
		return
	}
	a.count++
	s := &session{
		agent: a, id: fmt.Sprintf("s%d-%d", os.Getpid(), a.count), cwd: cwd, tools: tools, system: system,
		model: "strong", mode: "ask", stop: func() {},
	}
	a.sessions[s.id] = s
	a.mu.Unlock()
	if a.early {
		a.update(s.id, chunk("agent_message_chunk", "early "))
		a.update(s.id, chunk("agent_message_chunk", "bird"))
		a.update(s.id, object{"sessionUpdate": "available_commands_update", "availableCommands": []object{{"name": "early", "description": "Came early"}}})
		a.request(json.RawMessage(`"early"`), "session/request_permission", s.question("early", "An early question"))
	}
	a.reply(id, s.reply(true))
}

// list lists sessions: the first page has one, each later page has one that a client must
// not show, and the pages do not end by themselves.
func (a *agent) list(id json.RawMessage, cursor string) {
	if !a.lists {
		a.refuse(id, -32601, "no method session/list")
		return
	}
	if a.signIn && !a.signedIn {
		a.refuse(id, -32000, "Authentication required")
		return
	}
	one := object{"sessionId": "old-1", "cwd": "/home/ada/src/shop", "title": "Mend the cart\n\u202enow", "updatedAt": "2025-11-20T09:00:00Z", "_meta": object{}}
	if cursor != "" {
		one = object{"sessionId": "old-" + cursor, "cwd": "relative", "title": nil}
	}
	a.reply(id, object{"sessions": []object{one}, "nextCursor": cursor + "x"})
}

// load loads a session. Without -state every session is known, and its history
// has one message.
func (a *agent) load(id json.RawMessage, method, name, cwd string, tools []string, system string) {
	if a.noLoad && method == "session/load" || !a.resume && method == "session/resume" {
		a.refuse(id, -32601, "no method "+method)
		return
	}
	s := &session{agent: a, id: name, cwd: cwd, tools: tools, system: system, model: "strong", mode: "ask", stop: func() {}, history: []string{"say before"}}
	if a.state != "" {
		raw, err := os.ReadFile(s.file())
		if err != nil && a.blank {
			raw, err = []byte("[]"), nil
		}
		if err != nil {
			a.refuse(id, -32002, "no session "+name)
			return
		}
		if err := json.Unmarshal(raw, &s.history); err != nil {
			a.refuse(id, -32603, err.Error())
			return
		}
	}
	a.mu.Lock()
	a.sessions[name] = s
	a.mu.Unlock()
	if method == "session/load" {
		for i, said := range s.history {
			a.update(name, chunk("user_message_chunk", said))
			a.update(name, chunk("agent_message_chunk", "You said: "+said))
			a.update(name, object{"sessionUpdate": "tool_call", "toolCallId": fmt.Sprint("old", i), "title": "An old step", "status": "completed"})
		}
		if len(s.history) > 0 {
			a.update(name, object{"sessionUpdate": "session_info_update", "title": "A title of before"})
		}
	}
	a.reply(id, s.reply(false))
}

// file returns the path of a session's file.
func (s *session) file() string { return filepath.Join(s.agent.state, filepath.Base(s.id)+".json") }

// keep records a prompt.
func (s *session) keep(text string) {
	s.history = append(s.history, text)
	if !s.agent.late {
		s.write()
	}
}

// write saves the session to its file.
func (s *session) write() {
	if s.agent.state == "" {
		return
	}
	raw, err := json.Marshal(s.history)
	if err == nil {
		err = os.WriteFile(s.file(), raw, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted: the session is not kept:", err)
	}
}

// reply returns the response to session/new and load.
func (s *session) reply(fresh bool) object {
	r := object{}
	if fresh {
		r["sessionId"] = s.id
	}
	switch {
	case s.agent.plain:
	case s.agent.legacy:
		r["modes"] = object{"currentModeId": s.mode, "availableModes": []object{{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code", "description": "Writes files"}}}
		r["models"] = object{"currentModelId": s.model, "availableModels": []object{{"modelId": "strong", "name": "Strong"}, {"modelId": "fast", "name": "Fast"}}}
	default:
		r["configOptions"] = s.configOptions()
	}
	return r
}

func (s *session) configOptions() []object {
	return []object{
		{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": s.mode, "options": []object{
			{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code", "description": "Writes files"},
		}},
		{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": s.model, "options": []object{
			{"group": "all", "name": "All", "options": []object{{"value": "strong", "name": "Strong"}, {"value": "fast", "name": "Fast"}}},
		}},
		{"id": "telemetry", "name": "Telemetry", "type": "boolean", "currentValue": false},
	}
}

// chunk returns a chunk of text.
func chunk(kind, text string) object {
	return object{"sessionUpdate": kind, "content": object{"type": "text", "text": text}}
}

// question returns the params of a permission request.
func (s *session) question(call, title string) object {
	return object{
		"sessionId": s.id,
		"toolCall": object{
			"toolCallId": call, "title": title, "kind": "execute", "status": "pending",
			"rawInput": object{"command": "rm -r build"},
			"content":  []object{{"type": "content", "content": object{"type": "text", "text": "rm -r build"}}},
		},
		"options": []object{
			{"optionId": "yes", "name": "Allow", "kind": "allow_once"},
			{"optionId": "always", "name": "Always allow rm", "kind": "allow_always"},
			{"optionId": "no", "name": "Deny", "kind": "reject_once"},
		},
	}
}
