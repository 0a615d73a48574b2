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
	// Provider decides where servers of one format differ.
	Provider protocol.LLMProvider
	Model    string
	System   string
	Tools    []Tool
	// Messages alternate as both formats want it: Join makes them so.
	Messages []Message
}

// Tool is a tool that the model may call.
type Tool struct {
	Name, About string
	// Schema is the JSON schema of its arguments: an object.
	Schema json.RawMessage
}

// Role says whose a message is.
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
	// Text is the user's or the assistant's; empty for results.
	Text   string
	Images []Image // of the user
	// Calls are the tools that the assistant's message calls.
	Calls []Call
	// Results answer all calls of the message before, in their order.
	Results []Result
	// Thinking is what some providers want back with the calls, unchanged and
	// only within the turn: Anthropic's blocks, or the text of OpenAI's format.
	Thinking Thinking
}

// Thinking is an assistant's reasoning as its provider wants it back.
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
	// Input is a JSON object, empty where the model wrote something else, which is
	// Broken then.
	Input  json.RawMessage
	Broken string
	// Extra is what a provider wants back with the call (Google's signature).
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
	StopCalls   Stop = "calls" // it waits for the results of its calls
	StopLength  Stop = "length"
	StopRefused Stop = "refused"
)

// Answer is a model's whole answer.
type Answer struct {
	Message
	Stop Stop
	// Usage is nil where the provider does not say.
	Usage *Usage
}

// Usage is what one request took, in tokens.
type Usage struct{ Input, Output int }

// Piece is a piece of an answer as it comes: of its text or of its reasoning.
type Piece struct {
	Text    string
	Thought bool
}

// ErrBroken is returned by Read when the stream ended before the answer did.
var ErrBroken = errors.New("the answer broke off")

// ErrForeign is returned by Read when what came is no answer of a model.
var ErrForeign = errors.New("it is not the answer of a model")

// Failure is an error that a provider sent within its stream.
type Failure struct { //nolint:errname // it is one, and reads so where it is caught
	Message string
	// Busy is set when it is overloaded.
	Busy bool
}

// Error is the provider's message.
func (f *Failure) Error() string { return f.Message }

// Encode writes a request in a format.
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

// Read reads a streamed answer and gives its pieces to said as they come. The
// answer is what came until the error, if there is one: ErrBroken, ErrForeign,
// *Failure, or that of the reader.
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

// errWhole ends the reading of a stream whose answer is whole: some servers keep
// the connection open behind it.
var errWhole = errors.New("the answer is whole")

// join puts neighbours of one role together: some servers refuse two messages of
// one role in a row, and an empty one.
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

// object is JSON of an object, "{}" for nothing. Anything else is broken.
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
