package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// Evaluate runs an expression in a world of a session (0 is the page's own),
// awaits it, and decodes its value.
func Evaluate[T any](ctx context.Context, s *Session, expression string, world runtime.ExecutionContextID) (T, error) {
	var zero T
	yes := true
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, AwaitPromise: &yes, ReturnByValue: &yes, ContextID: world,
	})
	if err != nil {
		return zero, err
	}
	if res.ExceptionDetails != nil {
		text := res.ExceptionDetails.Text
		if res.ExceptionDetails.Exception != nil {
			text = res.ExceptionDetails.Exception.Description
		}
		return zero, errors.New(text)
	}
	if res.Result == nil || len(res.Result.Value) == 0 {
		return zero, nil
	}
	var v T
	if err := json.Unmarshal(res.Result.Value, &v); err != nil {
		return zero, fmt.Errorf("decoding the value: %w", err)
	}
	return v, nil
}

// AsMethodError returns the browser's error response in an error, if there is
// one.
func AsMethodError(err error) (*MethodError, bool) {
	return errors.AsType[*MethodError](err)
}
