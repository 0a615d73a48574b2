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

// orderKey is the context key of KeepOrder.
type orderKey struct{}

// KeepOrder says that the caller's commands on one tab are done one after the
// other, also while one of them only waits: an agent that sends several at once
// means them in that order. The shells of a person are independent of each other.
func KeepOrder(ctx context.Context) context.Context {
	return context.WithValue(ctx, orderKey{}, true)
}

// InOrder is what KeepOrder said.
func InOrder(ctx context.Context) bool {
	order, _ := ctx.Value(orderKey{}).(bool)
	return order
}
