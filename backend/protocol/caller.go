package protocol

import "context"

type callerKey struct{}

// WithCaller says in whose name something is asked of a page: what a caller saw
// last is remembered under it, and what it acts on is checked against that. It
// goes by the context because every look and action has one, at any depth.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf is what WithCaller said; empty when nothing was.
func CallerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}
