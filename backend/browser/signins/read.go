package signins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/signins/copies"
	"pilotfish/backend/browser/signins/firefox"
	"pilotfish/backend/protocol"
)

// readTimeout is how long a browser may take to start on a copy and answer.
const readTimeout = 30 * time.Second

// contents are what a profile has.
type contents struct {
	// cookies are those that were asked for; nil when only numbers were.
	cookies []*network.Cookie
	// counts are those that can be imported, and locked those that could not be
	// unlocked, by domain.
	counts, locked map[string]int
	containers     []protocol.SignInContainer
	// why says in words why cookies are locked.
	why string
}

// wanted says of which domains cookies are read; nil reads none and counts them.
type wanted func(domain string) bool

// read returns what a profile has. Nothing of it is on the disk afterwards.
func (s *SignIns) read(ctx context.Context, from source, profile string, want wanted) (out contents, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err = s.privately(func(dir string) (err error) {
		if from.folders != nil {
			out, err = readFirefox(ctx, from.folders[profile], dir, want)
		} else {
			out, err = s.readChromium(ctx, from, profile, dir, want)
		}
		return err
	})
	return out, err
}

// privately gives a private folder to use, and removes it.
func (s *SignIns) privately(use func(dir string) error) error {
	if err := os.MkdirAll(s.config.Dir, 0o700); err != nil {
		return fmt.Errorf("making a private folder: %w", err)
	}
	dir, err := os.MkdirTemp(s.config.Dir, "copy-")
	if err != nil {
		return fmt.Errorf("making a private folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			s.log.Error("a copy of another browser's files was not removed", "error", err)
		}
	}()
	return use(dir)
}

func readFirefox(ctx context.Context, profile, dir string, want wanted) (contents, error) {
	if want != nil {
		cookies, err := firefox.Cookies(ctx, profile, dir, time.Now(), want)
		return contents{cookies: cookies}, err
	}
	counted, err := firefox.Count(ctx, profile, dir, time.Now())
	out := contents{counts: counted.Domains}
	for _, name := range slices.Sorted(maps.Keys(counted.Containers)) {
		out.containers = append(out.containers, protocol.SignInContainer{Name: shown(name), Cookies: counted.Containers[name]})
	}
	return out, err
}

func (s *SignIns) readChromium(ctx context.Context, from source, profile, dir string, want wanted) (contents, error) {
	out := contents{counts: map[string]int{}, locked: map[string]int{}}
	if from.program == "" {
		return out, protocol.NewError(protocol.CodeNoBrowser, from.Name+" is not installed any more, and only it can unlock its cookies", "install it, or sign in here")
	}
	if err := duplicate(from.data, profile, dir); err != nil {
		return out, err
	}
	sealed, err := seals(ctx, filepath.Join(dir, "Default"))
	if err != nil {
		return out, err
	}
	found, err := s.ask(ctx, from, dir)
	if err != nil {
		return out, err
	}
	for _, c := range found {
		out.counts[c.Domain]++
		if want != nil && want(c.Domain) {
			out.cookies = append(out.cookies, c)
		}
	}
	marks := map[string]int{}
	for domain, of := range sealed {
		total := 0
		for _, n := range of {
			total += n
		}
		if n := total - out.counts[domain]; n > 0 {
			out.locked[domain] = n
			// Chromium gives no cookie of a site when one cannot be unlocked: others than
			// v10, whose key is fixed on Linux, are the reason where there are any.
			for mark, n := range of {
				if mark != "v10" || len(of) == 1 {
					marks[mark] += n
				}
			}
		}
	}
	out.why = locked(from.Name, marks)
	return out, nil
}

// ask starts the browser on a copy and asks it for all cookies.
func (s *SignIns) ask(ctx context.Context, from source, dir string) ([]*network.Cookie, error) {
	quiet := slog.New(slog.DiscardHandler) // nothing that it says belongs in a log
	p, err := chromium.Launch(ctx, &chromium.Options{
		ProfileDir: dir, TemporaryDir: s.config.TemporaryDir, Headless: true, NoSandbox: s.config.NoSandbox, NoKeyring: !s.config.Keyring, Guard: s.config.Guard,
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
		_ = p.Tidy() // the next start of the app does it, too
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

// duplicate copies the cookie store of a profile, and what unlocks it.
func duplicate(data, profile, to string) error {
	if profile != filepath.Base(profile) || profile == "." || profile == ".." {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no profile", profile), "")
	}
	if err := copies.File(filepath.Join(data, "Local State"), filepath.Join(to, "Local State")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The copy has one profile, with the name that every browser starts with.
	own := filepath.Join(to, "Default")
	for _, store := range stores(filepath.Join(data, profile)) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(own, store)), 0o700); err != nil {
			return fmt.Errorf("making a private folder: %w", err)
		}
		if err := copies.Database(filepath.Join(data, profile, store), filepath.Join(own, store)); err != nil {
			return err
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
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "Preferences"), raw, 0o600); err != nil {
		return fmt.Errorf("writing into a private folder: %w", err)
	}
	return markUsed(to)
}

// markUsed makes sure that the browser takes the folder as one in use.
func markUsed(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "First Run"), nil, 0o600); err != nil {
		return fmt.Errorf("writing into a private folder: %w", err)
	}
	return nil
}
