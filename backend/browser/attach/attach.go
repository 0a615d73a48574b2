// Package attach opens the protocol of a browser that its user started and works in. Since
// version 144 such a browser asks its user: remote debugging is switched on once at
// chrome://inspect/#remote-debugging, and each connection is allowed in a dialog.
//
// What was seen of Chromium 156: it writes its port into DevToolsActivePort in its folder,
// which stays there when it ends; every path of HTTP is 404; a WebSocket is silent until
// the user answers, is refused with 403 when the user does not allow it, and asks again
// each time. So one connection is made for each start of a session and kept; a connection
// without a request, by which the port is tried, does not ask.
package attach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/peer"
	"pilotfish/backend/protocol"
)

// Mine is the value of a session's setting for the browser that the user has most likely:
// the first of chromium.UserBrowsers that runs with remote debugging, else the first that
// has a profile.
const Mine = "my-chrome"

// portFile is the file in which a browser with remote debugging names its port.
const portFile = "DevToolsActivePort"

// tryEvery is how often a port is tried on which nobody listened: the browser writes its file
// before it listens. (When the switch is pressed, 0.1 s before it.)
const tryEvery = time.Second

// Browser is a browser of the user.
type Browser struct {
	// Name is shown, Dir is the folder of its profiles.
	Name, Dir string
	// ByHand: its user installed the extension, which is the only way into it. It has no Dir.
	ByHand bool
}

// Users reports whether a browser is named: the zero value is one that we start.
func (b Browser) Users() bool { return b.Dir != "" || b.ByHand }

// Find returns the browser that a setting means: Mine, protocol.ByHand, the id of one of
// chromium.UserBrowsers, or the folder of a browser's profiles.
func Find(setting string) (Browser, error) {
	if setting == protocol.ByHand {
		return Browser{Name: "browser without remote debugging", ByHand: true}, nil
	}
	if filepath.IsAbs(setting) {
		if info, err := os.Stat(setting); err != nil || !info.IsDir() {
			return Browser{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("browser: there is no folder %s", setting), "name the folder of a browser's profiles, which has a file \"Local State\"")
		}
		return Browser{Name: "the browser in " + setting, Dir: setting}, nil
	}
	var found []Browser
	var ids []string
	for _, b := range chromium.UserBrowsers(runtime.GOOS, os.Getenv) {
		ids = append(ids, b.ID)
		for _, dir := range b.Data {
			if _, err := os.Stat(filepath.Join(dir, "Local State")); err == nil && (setting == b.ID || setting == Mine) {
				found = append(found, Browser{Name: b.Name, Dir: dir})
				break
			}
		}
	}
	for _, b := range found {
		if _, _, err := endpoint(b.Dir); err == nil {
			return b, nil
		}
	}
	switch {
	case len(found) > 0:
		return found[0], nil
	case setting == Mine:
		return Browser{}, protocol.NewError(protocol.CodeNoBrowser, "no browser with a profile of yours was found", "start Chrome once, or name the folder of its profiles")
	default:
		return Browser{}, protocol.NewError(protocol.CodeNoBrowser, fmt.Sprintf("browser: no profile of %q was found", setting),
			"use "+Mine+", "+protocol.ByHand+", "+strings.Join(ids, ", ")+", or the folder of a browser's profiles")
	}
}

// endpoint returns the address and the path at which a browser says that it listens.
func endpoint(dir string) (netip.AddrPort, string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, portFile))
	if err != nil {
		return netip.AddrPort{}, "", err
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || !strings.HasPrefix(path, "/devtools/browser/") {
		return netip.AddrPort{}, "", fmt.Errorf("%s is not complete", portFile)
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n)), path, nil
}

// Open waits until the user's browser takes connections, asks it for one, and waits until
// the user has allowed it. step is called with what the user has to do next. It returns
// ctx.Err() when ctx ends. After a refusal it does not ask again.
func Open(ctx context.Context, b Browser, step func(protocol.AttachStep)) (devtools.Transport, error) {
	at, path, err := listening(ctx, b, step)
	if err != nil {
		return nil, err
	}
	step(protocol.AttachAllow)
	t, err := devtools.Dial(ctx, "ws://"+at.String()+path, devtools.DialOptions{})
	status := 0
	if refused, ok := errors.AsType[*devtools.RefusedError](err); ok {
		status = refused.Status
	}
	switch {
	case err == nil:
		return t, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case status == http.StatusForbidden:
		return nil, protocol.NewError(protocol.CodeRefused, b.Name+" was not allowed to be used", "start the session again and press Allow in its dialog")
	case status == http.StatusNotFound:
		return nil, protocol.NewError(protocol.CodeBrowserStart, "what listens on port "+strconv.Itoa(int(at.Port()))+" is not "+b.Name, "start "+b.Name+" again, and then the session")
	default:
		return nil, protocol.NewError(protocol.CodeBrowserStart, b.Name+" ended the connection before it was allowed", "start the session again when "+b.Name+" runs")
	}
}

// listening returns where a browser listens. It waits for that: the file changes when the
// user switches remote debugging on, and when the browser starts.
func listening(ctx context.Context, b Browser, step func(protocol.AttachStep)) (netip.AddrPort, string, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return netip.AddrPort{}, "", fmt.Errorf("watching %s: %w", b.Dir, err)
	}
	defer func() { _ = w.Close() }()
	if err := w.Add(b.Dir); err != nil {
		return netip.AddrPort{}, "", fmt.Errorf("watching %s: %w", b.Dir, err)
	}
	again := time.NewTicker(tryEvery)
	defer again.Stop()
	waits := false
	for {
		at, path, err := endpoint(b.Dir)
		if err == nil {
			err = try(ctx, b, at)
		}
		if err == nil {
			return at, path, nil
		}
		if _, final := errors.AsType[*protocol.Error](err); final {
			return netip.AddrPort{}, "", err
		}
		if !waits {
			waits = true
			step(protocol.AttachSwitchOn)
		}
		for changed := false; !changed; {
			select {
			case <-ctx.Done():
				return netip.AddrPort{}, "", ctx.Err()
			case e := <-w.Events:
				changed = filepath.Base(e.Name) == portFile && !e.Has(fsnotify.Remove)
			case err := <-w.Errors:
				changed = err != nil // events were lost: look once
			case <-again.C:
				changed = true
			}
		}
	}
}

// try connects to an address and closes the connection again, and makes sure that no agent
// of ours listens there: what answers gets the tokens of the panel.
func try(ctx context.Context, b Browser, at netip.AddrPort) error {
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", at.String())
	if err != nil {
		return err
	}
	_ = c.Close()
	// The listening socket: a connection has no process until it was accepted.
	tokens, err := peer.Started(at, netip.AddrPortFrom(netip.IPv4Unspecified(), 0), protocol.EnvToken)
	switch {
	case err != nil:
		return protocol.NewError(protocol.CodeBrowserStart, fmt.Sprintf("the program on port %d is not known, and may not be %s", at.Port(), b.Name), "start "+b.Name+" as the user that Pilotfish runs as")
	case len(tokens) > 0:
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("an agent's program listens on port %d instead of %s", at.Port(), b.Name), "end that agent, start "+b.Name+" again, and then the session")
	}
	return nil
}
