package policy

import (
	"context"

	"pilotfish/backend/protocol"
)

// askingKey is the context key of who is told of questions.
type askingKey struct{}

// WithAsking returns a context whose questions to the person are told as soon as
// they wait. tell is called on the goroutine that asks, and must not block.
func WithAsking(ctx context.Context, tell func(protocol.Approval)) context.Context {
	return context.WithValue(ctx, askingKey{}, tell)
}

// told tells of a question whoever wants to know.
func told(ctx context.Context, question protocol.Approval) {
	if tell, ok := ctx.Value(askingKey{}).(func(protocol.Approval)); ok {
		tell(question)
	}
}
