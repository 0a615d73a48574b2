// Package measure measures the performance of pages.
package measure

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/tracing"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/elements"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// perfScript reads what the browser has measured already; it does not load or wait
// for anything.
const perfScript = `() => {
	const buffered = (type, more = {}) => {
		try {
			const observer = new PerformanceObserver(() => {});
			observer.observe({ type, buffered: true, ...more });
			const records = observer.takeRecords();
			observer.disconnect();
			return records;
		} catch { return []; }
	};
	const round = (n) => Math.round(n * 100) / 100;
	const [nav] = performance.getEntriesByType('navigation');
	const paint = Object.fromEntries(performance.getEntriesByType('paint').map(({ name, startTime }) => [name, startTime]));
	const largest = buffered('largest-contentful-paint').at(-1);
	// The score is that of the worst session: shifts less than 1 s apart, 5 s at most.
	let worst = 0, sum = 0, first = 0, last = 0;
	for (const { value, startTime, hadRecentInput } of buffered('layout-shift')) {
		if (hadRecentInput) continue;
		if (sum > 0 && startTime - last < 1000 && startTime - first < 5000) sum += value;
		else { sum = value; first = startTime; }
		last = startTime;
		worst = Math.max(worst, sum);
	}
	const interactions = new Map();
	for (const { interactionId, duration } of buffered('event', { durationThreshold: 16 }))
		if (interactionId) interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0));
	const durations = [...interactions.values()].sort((a, b) => b - a);
	const tasks = buffered('longtask');
	const loaded = performance.getEntriesByType('resource');
	const el = largest?.element;
	return {
		ttfb: round(nav?.responseStart ?? 0), domReady: round(nav?.domContentLoadedEventEnd ?? 0), load: round(nav?.loadEventEnd ?? 0),
		firstPaint: round(paint['first-paint'] ?? 0), firstContentfulPaint: round(paint['first-contentful-paint'] ?? 0),
		largestContentfulPaint: round(largest?.startTime ?? 0),
		largestElement: el ? el.localName + (el.id ? '#' + el.id : '') : '',
		cumulativeLayoutShift: Math.round(worst * 10000) / 10000,
		interactionToNextPaint: durations[Math.min(durations.length - 1, Math.floor(durations.length / 50))] ?? 0,
		longTasks: tasks.length, longTaskTime: round(tasks.reduce((n, { duration }) => n + duration, 0)),
		requests: loaded.length + (nav ? 1 : 0),
		transferBytes: [nav, ...loaded].reduce((n, e) => n + (e?.transferSize ?? 0), 0),
	};
}`

// Measure measures the pages of a browser's tabs.
type Measure struct {
	tabs   page.Tabs
	folder files.Folder
}

// New returns the Measure of a browser's tabs, which saves traces in a folder.
func New(tabs page.Tabs, folder files.Folder) *Measure { return &Measure{tabs: tabs, folder: folder} }

// Performance returns how fast a tab's page loaded and how fast it reacts, from what
// the browser has measured since the page began.
func (m *Measure) Performance(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.Performance, error) {
	var out protocol.Performance
	err := m.tabs.OnPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		out = protocol.Performance{}
		if err := elements.InFrame(ctx, p, p.Frames.Main(), perfScript, nil, &out); err != nil {
			return err
		}
		out.URL = info.URL
		s, release, err := p.Beside(ctx, p.Target)
		if err != nil {
			return err
		}
		defer release()
		if _, err := cdp.Call(ctx, s, performance.Enable, performance.EnableParams{}); err != nil {
			return err
		}
		metrics, err := cdp.Call(ctx, s, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, one := range metrics.Metrics {
			switch one.Name {
			case "Nodes":
				out.Nodes = int(one.Value)
			case "JSEventListeners":
				out.Listeners = int(one.Value)
			case "JSHeapUsedSize":
				out.HeapBytes = int(one.Value)
			}
		}
		return nil
	})
	return out, err
}

// Trace records what the browser does for a tab during length; with reload, it
// records from the start of the page. It saves the trace in the session's folder, as
// a file that the Performance panel of the developer tools and Perfetto can open.
func (m *Measure) Trace(ctx context.Context, by protocol.Caller, id protocol.TabID, length time.Duration, reload bool) (protocol.PageFile, error) {
	var file protocol.PageFile
	if length < time.Second || length > protocol.MaxTraceTime {
		return file, protocol.NewError(protocol.CodeBadArgument, "a trace is from 1 s to "+protocol.MaxTraceTime.String(), "", protocol.Example("perf", "--trace", "--seconds", "3"))
	}
	err := m.tabs.OnTab(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		s, release, err := p.Beside(ctx, p.Target)
		if err != nil {
			return err
		}
		defer release() // also ends a trace that is still running
		done := s.Events(tracing.TracingComplete.Method)
		defer done.Cancel()
		_, err = cdp.Call(ctx, s, tracing.Start, tracing.StartParams{
			TransferMode: tracing.StartTransferModeReturnAsStream, StreamFormat: tracing.StreamFormatJSON,
			TraceConfig: &tracing.TraceConfig{
				RecordMode: tracing.TraceConfigRecordModeRecordAsMuchAsPossible,
				IncludedCategories: []string{
					"-*", "devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "blink.user_timing", "v8.execute",
					"disabled-by-default-v8.cpu_profiler", "disabled-by-default-devtools.timeline.frame", "latencyInfo",
				},
			},
		})
		if err != nil {
			if _, isMethod := errors.AsType[*devtools.MethodError](err); isMethod {
				return protocol.NewError(protocol.CodeBusy, "another trace is being recorded", "wait until it is done")
			}
			return err
		}
		if reload {
			if _, err := cdp.Call(ctx, p.Session, cdppage.Reload, cdppage.ReloadParams{}); err != nil {
				return err
			}
		}
		enough := time.NewTimer(length) // the length that the caller asked for
		defer enough.Stop()
		select {
		case <-enough.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, err := cdp.Call(ctx, s, tracing.End, cdp.Empty{}); err != nil {
			return err
		}
		data, err := readTrace(ctx, s, done)
		if err != nil {
			return err
		}
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		saved, err := m.folder.SaveMasked("screenshots", string(id), "json", data)
		file = protocol.PageFile{Path: saved.Path, Bytes: saved.Bytes, URL: info.URL}
		return err
	})
	return file, err
}

// readTrace waits until a trace is complete and reads it.
func readTrace(ctx context.Context, s *devtools.Session, done *devtools.Subscription) ([]byte, error) {
	var end tracing.EventTracingComplete
	select {
	case e, ok := <-done.C:
		if !ok {
			return nil, devtools.ErrSessionEnded
		}
		if end, ok = devtools.Decode(e, tracing.TracingComplete); !ok || end.Stream == "" {
			return nil, errors.New("the trace has no data")
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var out []byte
	for {
		part, err := cdp.Call(ctx, s, cdpio.Read, cdpio.ReadParams{Handle: end.Stream})
		if err != nil {
			return nil, err
		}
		out = append(out, part.Data...)
		if part.EOF {
			_ = devtools.Post(ctx, s, cdpio.Close, cdpio.CloseParams{Handle: end.Stream})
			return out, nil
		}
	}
}
