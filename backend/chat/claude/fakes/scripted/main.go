// Command scripted replaces the claude command line in the regular tests: it
// writes what claude 2.1 was seen to write, depending on the words of a prompt.
// The real claude is tested by `make test-agents`.
//
//	say TEXT    sends TEXT in pieces, as a stream, and then complete
//	ask         asks for permission to run a command; says the answer
//	edit        asks for permission to edit a file; the call has a diff
//	todo        sends a checklist
//	fail TEXT   ends the turn with an error
//	login       reports that nobody is signed in
//	silent      sends nothing until it is interrupted
//	wait        asks a question; then reads the messages that came meanwhile
//	model       says its model and mode
//	args        says its arguments
//	rubbish     writes a line that is no message
//	die         exits with code 3
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type object = map[string]any

// claude is the process; it does one thing after the other.
type claude struct {
	lines   chan line // what the client wrote
	session string
	model   string
	mode    string
	count   int
	queued  []line // messages that arrived during a turn
	servers []object
}

// line is what the client writes.
type line struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
		Model   string `json:"model"`
		Mode    string `json:"mode"`
	} `json:"request"`
	Response struct {
		RequestID string `json:"request_id"`
		Response  struct {
			Behavior string `json:"behavior"`
			Updated  []any  `json:"updatedPermissions"`
		} `json:"response"`
	} `json:"response"`
	Message struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"message"`
}

func main() {
	c := &claude{lines: make(chan line), model: "default", mode: "default"}
	for i, arg := range os.Args {
		switch arg {
		case "--session-id", "--resume":
			c.session = os.Args[i+1]
		case "--mcp-config":
			c.connect(os.Args[i+1])
		}
	}
	if c.session == "gone" {
		c.write(object{"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": []string{"No conversation found with session ID: gone"}})
		os.Exit(1)
	}
	go func() {
		defer close(c.lines)
		in := bufio.NewReaderSize(os.Stdin, 1<<20)
		for {
			raw, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var l line
			if err := json.Unmarshal(raw, &l); err != nil {
				fmt.Fprintf(os.Stderr, "scripted: %q: %v\n", raw, err)
				os.Exit(9)
			}
			c.lines <- l
		}
	}()
	for {
		l, ok := c.next()
		if !ok {
			return
		}
		if l.Type == "user" {
			c.turn(l)
		}
	}
}

// next returns the next queued message, or the next line.
func (c *claude) next() (line, bool) {
	if len(c.queued) > 0 {
		l := c.queued[0]
		c.queued = c.queued[1:]
		return l, true
	}
	l, ok := <-c.lines
	if ok {
		c.control(l)
	}
	return l, ok
}

func (c *claude) write(m object) {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // our own maps and strings can always be encoded
	}
	fmt.Println(string(raw))
}

// control answers a control request.
func (c *claude) control(l line) {
	if l.Type != "control_request" {
		return
	}
	var response any
	switch l.Request.Subtype {
	case "initialize":
		response = object{
			"commands": []object{{"name": "review", "description": "Review the changes", "argumentHint": "[path]"}},
			"models":   []object{{"value": "default", "displayName": "Default"}, {"value": "haiku", "displayName": "Haiku"}},
		}
	case "set_model":
		c.model = l.Request.Model
		c.write(object{"type": "user", "isReplay": true, "message": object{"role": "user", "content": "<local-command-stdout>Set model to " + c.model + "</local-command-stdout>"}})
	case "set_permission_mode":
		c.mode = l.Request.Mode
	}
	c.write(object{"type": "control_response", "response": object{"subtype": "success", "request_id": l.RequestID, "response": response}})
}

// connect says of its MCP servers that they are connected, but for that named broken.
func (c *claude) connect(config string) {
	var servers struct {
		MCPServers map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(config), &servers); err != nil {
		fmt.Fprintf(os.Stderr, "scripted: %q: %v\n", config, err)
		os.Exit(9)
	}
	for name := range servers.MCPServers {
		status := "connected"
		if name == "broken" {
			status = "failed"
		}
		c.servers = append(c.servers, object{"name": name, "status": status})
	}
}

// taken reports that it has started with a message.
func (c *claude) taken(l line) {
	c.write(object{"type": "user", "isReplay": true, "uuid": l.UUID, "message": object{"role": "user", "content": l.Message.Content}})
}

// turn works on a message.
func (c *claude) turn(l line) {
	text := ""
	for _, b := range l.Message.Content {
		text += b.Text
	}
	c.write(object{"type": "system", "subtype": "init", "session_id": c.session, "permissionMode": c.mode, "mcp_servers": c.servers})
	c.taken(l)
	for step := range strings.SplitSeq(text, ";") {
		word, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
		switch word {
		case "say":
			c.say(rest)
		case "ask":
			c.say("answer " + c.ask("Bash", object{"command": "rm -r build", "description": "Clean"}))
		case "edit":
			c.ask("Edit", object{"file_path": "/src/main.go", "old_string": "a", "new_string": "b"})
		case "todo":
			c.call("TodoWrite", object{"todos": []object{{"content": "Read", "status": "completed"}, {"content": "Write", "status": "pending"}}})
		case "model":
			c.say("model " + c.model + " mode " + c.mode)
		case "args":
			c.say(strings.Join(os.Args[1:], " "))
		case "env":
			c.say(os.Getenv(rest))
		case "rubbish":
			fmt.Println("npm notice: this is no message")
		case "die":
			fmt.Fprintln(os.Stderr, "scripted: out of memory")
			os.Exit(3)
		case "fail":
			c.result(object{"subtype": "error_during_execution", "is_error": true, "errors": []string{rest}})
			return
		case "login":
			c.write(object{"type": "assistant", "error": "authentication_failed", "message": object{"id": "synthetic", "role": "assistant", "content": []object{{"type": "text", "text": "Please run /login"}}}})
			c.result(object{"subtype": "success", "is_error": true, "result": "Please run /login"})
			return
		case "silent":
			c.interrupted()
			return
		case "wait":
			c.ask("Bash", object{"command": "sleep 1"})
			for _, q := range c.queued {
				c.taken(q)
				c.say("read " + q.Message.Content[0].Text)
			}
			c.queued = nil
		}
	}
	c.result(object{"subtype": "success", "is_error": false, "result": "", "stop_reason": "end_turn"})
}

// interrupted waits for the interrupt and ends the turn.
func (c *claude) interrupted() {
	for l := range c.lines {
		c.control(l)
		if l.Request.Subtype == "interrupt" {
			c.write(object{"type": "user", "message": object{"role": "user", "content": []object{{"type": "text", "text": "[Request interrupted by user]"}}}})
			c.result(object{"subtype": "error_during_execution", "is_error": true, "errors": []string{"aborted"}})
			return
		}
	}
}

func (c *claude) result(m object) {
	m["type"], m["session_id"], m["total_cost_usd"] = "result", c.session, 0.25
	m["usage"] = object{"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 20}
	m["modelUsage"] = object{"claude": object{"contextWindow": 200000}}
	c.write(m)
}

// say sends a text as claude does: in pieces, then complete.
func (c *claude) say(text string) {
	c.count++
	id := fmt.Sprint("msg_", c.count)
	event := func(e object) { c.write(object{"type": "stream_event", "event": e, "parent_tool_use_id": nil}) }
	event(object{"type": "message_start", "message": object{"id": id, "content": []any{}, "usage": object{"input_tokens": 100}}})
	event(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
	for piece := range slices.Chunk([]rune(text), 7) {
		event(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": string(piece)}})
	}
	c.write(object{"type": "assistant", "message": object{"id": id, "role": "assistant", "content": []object{{"type": "text", "text": text}}}})
	event(object{"type": "message_delta", "usage": object{"input_tokens": 100, "output_tokens": 5}})
}

// call announces a tool call.
func (c *claude) call(name string, input object) string {
	c.count++
	id := fmt.Sprint("toolu_", c.count)
	c.write(object{"type": "assistant", "message": object{"id": fmt.Sprint("msg_", c.count), "role": "assistant", "content": []object{{"type": "tool_use", "id": id, "name": name, "input": input}}}})
	return id
}

// ask asks whether a tool may run, and sends its result.
func (c *claude) ask(name string, input object) string {
	id := c.call(name, input)
	c.write(object{"type": "control_request", "request_id": "ask-" + id, "request": object{
		"subtype": "can_use_tool", "tool_name": name, "tool_use_id": id, "input": input,
		"permission_suggestions": []object{{"type": "addRules", "behavior": "allow", "destination": "session", "rules": []object{{"toolName": name, "ruleContent": "rm:*"}}}},
	}})
	for l := range c.lines {
		c.control(l)
		if l.Type == "user" {
			c.queued = append(c.queued, l)
		}
		if l.Type == "control_response" && l.Response.RequestID == "ask-"+id {
			answer := l.Response.Response.Behavior
			if len(l.Response.Response.Updated) > 0 {
				answer += " always"
			}
			c.write(object{"type": "user", "message": object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id, "content": "it ran", "is_error": answer == "deny"}}}})
			return answer
		}
	}
	return "nothing"
}
