package signins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// readTimeout is how long a browser may take to start on a copy and answer.
const readTimeout = 30 * time.Second

// copyMost is the size up to which a cookie store is copied, in bytes.
const copyMost = 256 << 20

// jar is what was read of a profile.
type jar struct {
	cookies []*network.Cookie
	// locked: the store has values, and the browser could unlock none.
	locked bool
}

// read returns the cookies of a profile. Nothing of it is on the disk afterwards.
func (s *SignIns) read(ctx context.Context, from source, profile string) (jar, error) {
	var out jar
	if from.program == "" {
		return out, protocol.NewError(protocol.CodeNoBrowser, from.Name+" is not installed any more, and only it can unlock its cookies", "install it, or sign in here")
	}
	if err := os.MkdirAll(s.config.Dir, 0o700); err != nil {
		return out, fmt.Errorf("making a private folder: %w", err)
	}
	dir, err := os.MkdirTemp(s.config.Dir, "copy-")
	if err != nil {
		return out, fmt.Errorf("making a private folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			s.log.Error("a copy of a cookie store was not removed", "error", err)
		}
	}()
	sealed, err := duplicate(from.data, profile, dir)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	out.cookies, err = s.ask(ctx, from, dir)
	out.locked = err == nil && len(out.cookies) == 0 && sealed
	return out, err
}

// ask starts the browser on a copy and asks it for all cookies.
func (s *SignIns) ask(ctx context.Context, from source, dir string) ([]*network.Cookie, error) {
	quiet := slog.New(slog.DiscardHandler) // nothing that it says belongs in a log
	p, err := chromium.Launch(ctx, &chromium.Options{
		ProfileDir: dir, Headless: true, NoSandbox: s.config.NoSandbox, NoKeyring: !s.config.Keyring(ctx), Guard: s.config.Guard,
	}, from.program, quiet)
	if err != nil {
		return nil, err
	}
	conn := devtools.New(p.Pipe, quiet, func(context.Context, *devtools.Session, any) {})
	var served sync.WaitGroup
	served.Go(func() { _ = conn.Serve(context.WithoutCancel(ctx)) })
	defer func() {
		// It is ended before its folder is removed, or it would write it again.
		_ = conn.Root.Post(context.WithoutCancel(ctx), browser.Close.Method, nil)
		select {
		case <-p.Exited():
		case <-time.After(closeTimeout):
		}
		_ = p.Stop("the cookies are read")
		<-p.Done()
		conn.Fail(devtools.ErrPipeEnded)
		_ = p.Pipe.Close()
		served.Wait()
	}()
	res, err := cdp.Call(ctx, conn.Root, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBrowserStart, from.Name+" did not read its cookies on a copy of the profile", "sign in here instead")
	}
	return res.Cookies, nil
}

// closeTimeout is how long the browser may take to end by itself.
const closeTimeout = 3 * time.Second

// duplicate copies the cookie store of a profile, and what unlocks it. sealed reports
// whether the store has encrypted values.
func duplicate(data, profile, to string) (sealed bool, err error) {
	if profile != filepath.Base(profile) || profile == "." || profile == ".." {
		return false, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no profile", profile), "")
	}
	if err := copyFile(filepath.Join(data, "Local State"), filepath.Join(to, "Local State")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	// The copy has one profile, with the name that every browser starts with.
	own := filepath.Join(to, "Default")
	for _, store := range stores(filepath.Join(data, profile)) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(own, store)), 0o700); err != nil {
			return false, fmt.Errorf("making a private folder: %w", err)
		}
		for _, part := range []string{"", "-journal", "-wal"} {
			target := filepath.Join(own, store+part)
			err := copyFile(filepath.Join(data, profile, store+part), target)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return false, err
			}
			raw, err := os.ReadFile(target)
			if err != nil {
				return false, fmt.Errorf("reading a copy: %w", err)
			}
			for _, mark := range []string{"v10", "v11", "v20"} { // in front of each encrypted value
				sealed = sealed || bytes.Contains(raw, []byte(mark))
			}
		}
	}
	// Else the browser forgets at its start the cookies that end with a session.
	var preferences struct {
		Session struct {
			Restore int `json:"restore_on_startup"`
		} `json:"session"`
	}
	preferences.Session.Restore = 1
	raw, err := json.Marshal(preferences)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(own, "Preferences"), raw, 0o600); err != nil {
		return false, fmt.Errorf("writing into a private folder: %w", err)
	}
	return sealed, markUsed(to)
}

// markUsed makes sure that the browser takes the folder as one in use.
func markUsed(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "First Run"), nil, 0o600); err != nil {
		return fmt.Errorf("writing into a private folder: %w", err)
	}
	return nil
}

// copyFile copies a regular file with mode 0600.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return protocol.NewError(protocol.CodeNotWritable, "a file of the other browser cannot be read: "+filepath.Base(from), "check who owns its profile")
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(from), err)
	}
	if !info.Mode().IsRegular() || info.Size() > copyMost {
		return protocol.NewError(protocol.CodeBadArgument, filepath.Base(from)+" of the other browser is no file, or too large", "sign in here instead")
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing into a private folder: %w", err)
	}
	_, err = io.Copy(out, io.LimitReader(in, copyMost))
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(from), err)
	}
	return nil
}
