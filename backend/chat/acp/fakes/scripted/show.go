package main

import "fmt"

// picture is a PNG of one pixel.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const markdown = "# A heading\n\nSome **bold** and `code`, a [link](https://example.com/), and a list:\n\n- one\n- two\n  - two and a half\n\n" +
	"| name | value |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n```go\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n```\n\n" +
	"<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">\n\n[run](javascript:alert(1))\n"

// show carries out the steps that show something.
func (t *turn) show(word, rest string) bool {
	switch word {
	case "markdown":
		for i := 0; i < len(markdown); i += 17 {
			t.say(markdown[i:min(len(markdown), i+17)])
		}
	case "messages":
		for i := range 2 {
			for _, text := range []string{"first half of ", fmt.Sprint("message ", i)} {
				u := chunk("agent_message_chunk", text)
				u["messageId"] = fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i)
				t.update(u)
			}
		}
	case "split":
		t.split()
	case "image":
		t.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "image", "data": picture, "mimeType": "image/png"}})
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": t.call(), "title": "Take a picture", "status": "completed", "content": []object{
			content("Here it is:"), {"type": "content", "content": object{"type": "image", "data": picture, "mimeType": "image/png"}},
		}})
	case "echo":
		for _, b := range t.prompt {
			t.say(fmt.Sprintf("[%s %s %s %d]", b.Type, b.MimeType, b.URI, len(b.Data)))
		}
	case "tool", "failing", "open":
		call := t.call()
		t.update(object{
			"sessionUpdate": "tool_call", "toolCallId": call, "title": or(rest, "Read main.go"), "kind": "read", "status": "pending",
			"rawInput": object{"path": "main.go", "lines": 20}, "locations": []object{{"path": "/src/main.go", "line": 3}},
		})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "in_progress"})
		switch word {
		case "tool":
			t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed", "content": []object{content("package main")}})
		case "failing":
			t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "failed", "content": []object{content("no such file")}})
		}
	case "unannounced":
		call := t.call()
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "title": "Never announced"})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"})
	case "replace":
		call := t.call()
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": call, "title": "Run the tests", "kind": "execute", "status": "in_progress"})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "content": []object{content("1 passed")}})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "content": []object{content("1 passed"), content("2 passed")}})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"})
	case "raw":
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": t.call(), "title": "Ask the oracle", "status": "completed", "rawOutput": object{"output": "forty-two"}})
	case "diff":
		call := t.call()
		t.update(object{"sessionUpdate": "tool_call", "toolCallId": call, "title": "Edit main.go", "kind": "edit", "status": "in_progress", "locations": []object{{"path": "/src/main.go"}}})
		t.update(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed", "content": []object{
			{"type": "diff", "path": "/src/main.go", "oldText": "package main\n\nfunc main() {}\n", "newText": "package main\n\nfunc main() {\n\tprintln(\"hi\")\n}\n"},
			{"type": "diff", "path": "/src/new.go", "oldText": nil, "newText": "package main\n"},
		}})
	case "plan":
		items := []string{"Read the page", "Fill the form", "Send it"}
		for done := range len(items) + 1 {
			entries := make([]object, 0, len(items))
			for i, text := range items {
				status := "pending"
				switch {
				case i < done:
					status = "completed"
				case i == done:
					status = "in_progress"
				}
				entries = append(entries, object{"content": text, "status": status, "priority": "medium"})
			}
			t.update(object{"sessionUpdate": "plan", "entries": entries})
		}
	case "commands":
		t.update(object{"sessionUpdate": "available_commands_update", "availableCommands": []object{
			{"name": "web", "description": "Search the web", "input": object{"hint": "what to look for"}}, {"name": "test", "description": "Run the tests"},
		}})
	case "mode":
		t.session.mode = rest
		t.update(object{"sessionUpdate": "current_mode_update", "currentModeId": rest})
	case "title":
		t.update(object{"sessionUpdate": "session_info_update", "title": rest})
	case "usage":
		t.update(object{"sessionUpdate": "usage_update", "used": 12000, "size": 200000, "cost": object{"amount": 0.25, "currency": "USD"}})
	default:
		return false
	}
	return true
}

func content(text string) object {
	return object{"type": "content", "content": object{"type": "text", "text": text}}
}

// split writes "Grüße 🐟." in pieces that end within its characters.
func (t *turn) split() {
	head := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + t.session.id + `","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`
	for _, piece := range []string{"Gr\xc3", "\xbc\xc3", "\x9fe ", `\ud83d`, `\udc1f`, "."} {
		line := head + piece + `"}}}}` + "\n"
		// The line itself comes in two writes, too, cut in the middle of it.
		t.session.agent.writeRaw([]byte(line))
	}
}
