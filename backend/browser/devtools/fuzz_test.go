package devtools_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// spoken is a browser that says the same message a few times and then ends. What
// is no message ends the pipe, as with chromedp's.
type spoken struct {
	text []byte
	left int
}

func (b *spoken) Read(_ context.Context, msg *cdproto.Message) error {
	if b.left == 0 {
		return io.EOF
	}
	b.left--
	return jsonv2.Unmarshal(b.text, msg)
}
func (*spoken) Write(context.Context, *cdproto.Message) error { return nil }
func (*spoken) Close() error                                  { return nil }

// Whatever the browser says, reading ends with the pipe, and so do all calls and
// sessions.
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"result":{"frameId":"F"}}`, `{"id":1,"error":{"code":-32000,"message":"no"}}`, `{"id":-9}`, `{}`, `[`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"","targetInfo":{"targetId":"T","url":"x"}}}`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"S"}}`, `{"method":"Target.detachedFromTarget","params":{"sessionId":""}}`,
		`{"method":"Page.frameNavigated","sessionId":"","params":7}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := devtools.New(&spoken{text, 3}, slog.New(slog.DiscardHandler), nil)
		events := c.Root.Events()
		_, call, err := c.Send(t.Context(), c.Root, target.GetTargets.Method, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Serve(t.Context()); err == nil {
			t.Error("reading ended without a reason")
		}
		<-call.Reply
		<-c.Done
		for e := range events.C {
			if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame == nil && len(e.Params) == 0 {
				t.Error("an event without parameters was decoded")
			}
		}
		if c.Session("") != nil {
			t.Error("the browser's session is left")
		}
	})
}
