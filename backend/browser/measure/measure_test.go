package measure

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"

	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/protocol"
)

// TestReadTrace: a trace is read to its end, and its stream is closed.
func TestReadTrace(t *testing.T) {
	b, c := fake.Connect(t, nil)
	s, err := c.Attach(t.Context(), "T1")
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"[1,", "2]"}
	b.Answer(cdpio.Read.Method, func(fake.Call) (any, error) {
		part := parts[0]
		parts = parts[1:]
		return map[string]any{"data": part, "eof": len(parts) == 0}, nil
	})
	closed := b.Await(t, cdpio.Close.Method)
	done := s.Events(tracing.TracingComplete.Method)
	defer done.Cancel()
	b.Emit(s.ID, tracing.TracingComplete.Method, jsonv2.Value(`{"dataLossOccurred":false,"stream":"1"}`))
	data, err := readTrace(t.Context(), s, done)
	if err != nil || string(data) != "[1,2]" {
		t.Errorf("it is %q, %v", data, err)
	}
	closed()
	b.Emit(s.ID, tracing.TracingComplete.Method, jsonv2.Value(`{"dataLossOccurred":false}`))
	if _, err := readTrace(t.Context(), s, done); err == nil {
		t.Error("a trace without data is read")
	}
}

func TestLength(t *testing.T) {
	for _, length := range []time.Duration{0, -1, time.Second - 1, protocol.MaxTraceTime + 1} {
		if _, err := New(nil, files.Folder{}).Trace(t.Context(), protocol.Caller{}, "t1", length, false); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %v", length, err)
		}
	}
}
