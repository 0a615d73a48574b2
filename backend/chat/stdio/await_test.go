//go:build unix

package stdio

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAwait(t *testing.T) {
	done := make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	tired := errors.New("tired")
	cancel(tired)
	if err := Await(ctx, done, "Agent"); !errors.Is(err, tired) || !strings.Contains(err.Error(), "closing Agent") {
		t.Errorf("an end that does not come: %v", err)
	}
	close(done)
	if err := Await(t.Context(), done, "Agent"); err != nil {
		t.Error(err)
	}
}
