package browser

import (
	"context"
	"fmt"
	"os"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"pilotfish/backend/protocol"
)

// beside is the browser of ours that has the task page of a browser elsewhere, or of a context, which
// load no extension. It is headless, has nothing but that page, and a profile that is new each time. It
// runs from the first task to the end of the last one, and never longer than the connection to
// the engine: a task is resumed with the next one.
type beside struct {
	connected context.Context //nolint:containedctx // it ends with the connection to the engine
	cut       context.CancelFunc

	mu   sync.Mutex
	now  *Browser // nil: it does not run
	stop func()   // ends it, and returns when nothing of it is left
}

// running returns the browser, and starts it if it does not run, or no longer answers.
func (s *beside) running(ctx context.Context, of *Browser) (*Browser, error) {
	ctx, cancel := context.WithTimeout(ctx, protocol.BrowserStartTimeout)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connected.Err() != nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "the connection to "+of.config.givenName()+" has ended", "")
	}
	if s.now != nil && s.now.answers(ctx) {
		return s.now, nil
	}
	s.close()
	b, err := s.start(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("starting a browser for tasks on this machine: %w", err)
	}
	return b, nil
}

func (s *beside) start(ctx context.Context, of *Browser) (*Browser, error) { //nolint:contextcheck // it lives as long as the connection, not as its caller
	c := of.config
	profile, err := os.MkdirTemp(c.TemporaryDir, "")
	if err != nil {
		return nil, err
	}
	b, err := New(Config{
		Path: c.Path, ProfileDir: profile, TemporaryDir: c.TemporaryDir, ExtensionDir: of.unloaded,
		NoSandbox: c.NoSandbox, NoKeyring: true, Headless: true, Guard: c.Guard, Logger: c.Logger.With("for", "tasks"),
	})
	if err != nil {
		return nil, err
	}
	b.paired = of.pairing()
	life, end := context.WithCancel(s.connected)
	up, failed := context.WithCancelCause(ctx)
	defer failed(nil)
	var runs sync.WaitGroup
	runs.Go(func() {
		err := b.Run(life)
		if life.Err() == nil {
			b.log.WarnContext(life, "the browser for tasks has ended", "error", err)
		}
		failed(err)
		if err := os.RemoveAll(profile); err != nil {
			b.log.WarnContext(life, "the profile of the browser for tasks is not removed", "error", err)
		}
	})
	s.now, s.stop = b, func() { end(); runs.Wait() }
	if b.tabs.Await(up, func() bool { return len(b.Tabs()) > 0 }) != nil {
		s.close()
		return nil, context.Cause(up)
	}
	return b, nil
}

// answers reports whether the browser process lives. Its end may not be known yet.
func (b *Browser) answers(ctx context.Context) bool {
	r, err := b.running()
	if err == nil {
		_, err = cdp.Call(ctx, r.conn.Root, cdpbrowser.GetVersion, cdp.Empty{})
	}
	return err == nil
}

// close ends the browser, if it runs; mu is held.
func (s *beside) close() {
	if s.now != nil {
		s.stop()
		s.now = nil
	}
}

// closes ends the browser, until a task needs it again.
func (s *beside) closes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

// ends ends the browser for good: the connection to the engine has ended.
func (s *beside) ends() {
	s.cut()
	s.closes()
}

// pair gives a new pairing to the task page, if there is one.
func (s *beside) pair(ctx context.Context, p *protocol.Pairing) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil // it gets the pairing when it starts
	}
	return s.now.Pair(ctx, *p)
}
