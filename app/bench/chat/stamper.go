package chat

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pilotfish/app/bench/product"
)

// StamperName is the name under which the bench is started as an agent whose
// words contain the time at which they were written.
const StamperName = "stamper"

// stamperPause is the pause between two chunks. A frame is drawn in it, so that
// each chunk is measured separately.
const stamperPause = 40 * time.Millisecond

// Stamper is an agent that speaks the Agent Client Protocol. It answers "stamp N"
// with N chunks, each with the time at which it was written, and "fill N" with N
// tool calls.
func Stamper(in io.Reader, out io.Writer) error {
	write := json.NewEncoder(out)
	lines := bufio.NewReader(in)
	for sessions := 1; ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Session string `json:"sessionId"`
				Prompt  []struct {
					Text string `json:"text"`
				} `json:"prompt"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &req); err != nil || req.ID == nil || req.Method == "" {
			continue // a notification, or not a request
		}
		result := map[string]any{}
		switch req.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}
		case "session/new":
			result = map[string]any{"sessionId": fmt.Sprint("s", sessions)}
			sessions++
		case "session/prompt":
			for _, block := range req.Params.Prompt {
				if err := stampReply(write, req.Params.Session, block.Text); err != nil {
					return err
				}
			}
			result = map[string]any{"stopReason": "end_turn"}
		}
		if err := write.Encode(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result}); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
}

func stampReply(write *json.Encoder, session, prompt string) error {
	word, number, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil //nolint:nilerr // the system prompt, or something else that is said before
	}
	for i := range n {
		update := map[string]any{"sessionUpdate": "tool_call", "toolCallId": fmt.Sprint("c", i), "title": fmt.Sprintf("Step %d of the voyage", i), "kind": "other", "status": "completed"}
		if word == "stamp" {
			time.Sleep(stamperPause)
			text := fmt.Sprintf("word %d @%.3f\n", i, product.Millis(time.Now()))
			update = map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": text}}
		}
		note := map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": session, "update": update}}
		if err := write.Encode(note); err != nil {
			return fmt.Errorf("saying: %w", err)
		}
	}
	return nil
}
