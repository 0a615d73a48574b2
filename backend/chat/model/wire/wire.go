package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"pilotfish/backend/protocol"
)

// Request is one request to a model.
type Request struct {
	// Provider decides details in which servers with the same format differ.
	Provider protocol.LLMProvider
	Model    string
	System   string
	Tools    []Tool
	// Messages is the conversation. Encode merges neighbours of one role, as
	// both formats require.
	Messages []Message
}

// Tool is a tool that the model may call.
type Tool struct {
	Name, About string
	// Schema is the JSON schema of its arguments: an object.
	Schema json.RawMessage
}

// Role says who a message is from.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	// Results answer the calls of the assistant's message before them.
	Results Role = "results"
)

// Message is one message of a conversation.
type Message struct {
	Role Role
	// Text is the text of a user's or an assistant's message; empty for
	// results.
	Text   string
	Images []Image // of a user's message
	// Calls are the tools that the assistant's message calls.
	Calls []Call
	// Results answer all calls of the message before, in their order.
	Results []Result
	// Thinking is sent back with the calls, unchanged and only within the turn,
	// because some providers require it: Anthropic's blocks, or the text of
	// OpenAI's format.
	Thinking Thinking
}

// Thinking is an assistant's reasoning in the form in which its provider
// requires it back.
type Thinking struct {
	Blocks []json.RawMessage
	Text   string
}

// Image is a picture.
type Image struct {
	Mime string
	Data []byte
}

// Call is one call of a tool.
type Call struct {
	ID, Name string
	// Input is a JSON object. If the model wrote something else, Input is empty
	// and Broken has what it wrote.
	Input  json.RawMessage
	Broken string
	// Extra is data that a provider requires back with the call (Google's
	// signature).
	Extra json.RawMessage
}

// Result is the answer of a tool.
type Result struct {
	ID     string
	Text   string
	Images []Image
	Failed bool
}

// Stop says why a model stopped.
type Stop string

// The reasons.
const (
	StopDone    Stop = "done"
	StopCalls   Stop = "calls" // the model waits for the results of its calls
	StopLength  Stop = "length"
	StopRefused Stop = "refused"
)

// Answer is a model's whole answer.
type Answer struct {
	Message
	Stop Stop
	// Usage is nil if the provider does not report it.
	Usage *Usage
}

// Usage is how many tokens one request took.
type Usage struct{ Input, Output int }

// Piece is a part of a streamed answer: of its text or of its reasoning.
type Piece struct {
	Text    string
	Thought bool
}

// ErrBroken is returned by Read when the stream ended before the answer was
// complete.
var ErrBroken = errors.New("the answer broke off")

// ErrForeign is returned by Read when the data is not an answer of a model.
var ErrForeign = errors.New("it is not the answer of a model")

// Failure is an error that a provider sent within its stream.
type Failure struct { //nolint:errname // it is one, and reads so where it is caught
	Message string
	// Busy is set when the provider is overloaded.
	Busy bool
}

// Error returns the provider's message.
func (f *Failure) Error() string { return f.Message }

// Encode encodes a request in a format.
func Encode(dialect protocol.LLMDialect, r Request) ([]byte, error) {
	r.Messages = join(r.Messages)
	var body any
	switch dialect {
	case protocol.DialectAnthropic:
		body = anthropicRequest(r)
	case protocol.DialectOpenAI:
		body = openaiRequest(r)
	default:
		return nil, fmt.Errorf("there is no wire format %q", dialect)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("writing a request to a model: %w", err)
	}
	return data, nil
}

// Read reads a streamed answer and calls said with its pieces as they arrive.
// On an error the answer is what arrived before it. The error is ErrBroken,
// ErrForeign, a *Failure, or the reader's error.
func Read(dialect protocol.LLMDialect, r io.Reader, said func(Piece)) (Answer, error) {
	var reader interface {
		take(data []byte) error
		answer() (Answer, bool)
	} = &openaiReader{said: said}
	if dialect == protocol.DialectAnthropic {
		reader = &anthropicReader{said: said}
	}
	seen, err := events(r, reader.take)
	answer, whole := reader.answer()
	switch {
	case errors.Is(err, errWhole):
		return answer, nil
	case err != nil:
		return answer, err
	case seen == 0:
		return answer, ErrForeign
	case !whole:
		return answer, ErrBroken
	}
	return answer, nil
}

// errWhole ends the reading once the answer is complete: some servers keep the
// connection open after it.
var errWhole = errors.New("the answer is whole")

// join merges adjacent messages of one role, and drops empty ones: some servers
// refuse two messages of one role in a row, and an empty message.
func join(list []Message) []Message {
	var out []Message
	for _, m := range list {
		if m.Role != Results && m.Text == "" && len(m.Images)+len(m.Calls) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != Results && len(out[n-1].Calls) == 0 {
			last := &out[n-1]
			if last.Text != "" && m.Text != "" {
				last.Text += "\n\n"
			}
			last.Text += m.Text
			last.Images = append(last.Images[:len(last.Images):len(last.Images)], m.Images...)
			last.Calls, last.Thinking = m.Calls, m.Thinking
			continue
		}
		out = append(out, m)
	}
	return out
}

// object returns text as a JSON object, "{}" for an empty text. Any other text
// is returned as broken.
func object(text string) (input json.RawMessage, broken string) {
	if text == "" || text == "null" {
		return json.RawMessage("{}"), ""
	}
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &o) != nil || o == nil {
		return json.RawMessage("{}"), text
	}
	return json.RawMessage(text), ""
}
