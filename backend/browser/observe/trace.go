package observe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureTrace = "trace"

// tracer is a running trace. The browser can run one trace at a time.
type tracer struct {
	mu   sync.Mutex
	s    *devtools.Session
	done chan tracing.EventTracingComplete
}

func (t *tracer) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if child || t.s != nil {
		return nil // a target that the tab changes to is not in the trace
	}
	_, err := cdp.Call(ctx, s, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, StreamFormat: tracing.StreamFormatJSON,
		TraceConfig: &tracing.TraceConfig{
			RecordMode: tracing.TraceConfigRecordModeRecordUntilFull, TraceBufferSizeInKb: 200 << 10,
			IncludedCategories: []string{"devtools.timeline", "v8.execute", "blink.user_timing", "loading", "latencyInfo", "disabled-by-default-devtools.timeline", "disabled-by-default-v8.cpu_profiler"},
			ExcludedCategories: []string{"*"},
		},
	})
	if e, ok := devtools.AsMethodError(err); ok {
		return protocol.NewError(protocol.CodeBusy, "the trace cannot be started: "+e.Message, "a browser can run one trace at a time")
	}
	if err == nil {
		t.s = s
	}
	return err
}

func (t *tracer) Event(_ context.Context, _ *devtools.Session, e devtools.Event) {
	if e.Method != tracing.TracingComplete.Method {
		return
	}
	if v, ok := devtools.Decode(e, tracing.TracingComplete); ok {
		select {
		case t.done <- v:
		default:
		}
	}
}

func (t *tracer) End(context.Context, *devtools.Session) {}

// StartTrace begins a trace of a tab.
func (o *Observer) StartTrace(ctx context.Context, id protocol.TabID) error {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return err
	}
	if _, running := watch.Get[*tracer](k, featureTrace); running {
		return protocol.NewError(protocol.CodeBusy, "a trace of "+string(id)+" is already running", "", protocol.Try("ends it", "trace", "stop"))
	}
	_, err = watch.Use(ctx, k, featureTrace, func() *tracer { return &tracer{done: make(chan tracing.EventTracingComplete, 1)} })
	return err
}

// Tracing reports whether a trace of a tab is running.
func (o *Observer) Tracing(id protocol.TabID) bool {
	_, ok := watch.Get[*tracer](o.tabs.Kept(id), featureTrace)
	return ok
}

// StopTrace ends the trace of a tab and writes it to a file that Chromium's own
// performance panel can open.
func (o *Observer) StopTrace(ctx context.Context, id protocol.TabID) (protocol.SavedFile, error) {
	k := o.tabs.Kept(id)
	t, ok := watch.Get[*tracer](k, featureTrace)
	if !ok {
		return protocol.SavedFile{}, protocol.NewError(protocol.CodeBadArgument, "no trace of "+string(id)+" is running", "", protocol.Try("starts one", "trace", "start"))
	}
	defer func() { _ = k.Stop(context.WithoutCancel(ctx), featureTrace) }()
	ctx, cancel := context.WithTimeout(ctx, traceStop)
	defer cancel()
	if _, err := cdp.Call(ctx, t.s, tracing.End, cdp.Empty{}); err != nil {
		return protocol.SavedFile{}, o.tabs.Explain(ctx, id, err)
	}
	var end tracing.EventTracingComplete
	select {
	case end = <-t.done:
	case <-t.s.Done:
		return protocol.SavedFile{}, o.tabs.Explain(ctx, id, devtools.ErrSessionEnded)
	case <-ctx.Done():
		return protocol.SavedFile{}, o.tabs.Explain(ctx, id, ctx.Err())
	}
	f, err := o.config.Folder.New("traces", string(id), "json")
	if err != nil {
		return protocol.SavedFile{}, err
	}
	n, err := drain(ctx, t.s, end.Stream, f)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return protocol.SavedFile{}, o.tabs.Explain(ctx, id, fmt.Errorf("writing the trace: %w", err))
	}
	return protocol.SavedFile{Path: f.Name(), Bytes: n}, nil
}

// drain copies a stream of the browser to a file, up to traceBytes.
func drain(ctx context.Context, s *devtools.Session, handle cdpio.StreamHandle, f *os.File) (int, error) {
	defer func() {
		_ = devtools.Post(context.WithoutCancel(ctx), s, cdpio.Close, cdpio.CloseParams{Handle: handle})
	}()
	n := 0
	for {
		res, err := cdp.Call(ctx, s, cdpio.Read, cdpio.ReadParams{Handle: handle, Size: 1 << 20})
		if err != nil {
			return n, err
		}
		if n += len(res.Data); n > traceBytes {
			return n, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the trace is larger than %d MB", traceBytes>>20), "trace a shorter time")
		}
		if _, err := f.Write(res.Data); err != nil {
			return n, err
		}
		if res.EOF {
			return n, nil
		}
	}
}
