package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// openWait is how long an opener may take to fail. An opener that still runs after
// that is itself the program that shows the target.
const openWait = 3 * time.Second

// Open opens a folder, a document or a page in the desktop's default program. target
// is an absolute path or an http or https URL. For anything else, and for every file
// that would be run instead of shown, it returns CodeBadArgument. It does not wait
// for the program to end.
func Open(ctx context.Context, target string) error {
	checked, err := openable(target)
	if err != nil {
		return err
	}
	name, args := opener(checked)
	path, err := proc.Look(name)
	if err != nil {
		return protocol.NewError(protocol.CodeNotRunning, "this system has no "+name, "open it yourself: "+checked)
	}
	// The opened program outlives the call and the app: the user closes it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, args...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the program
	timer := time.NewTimer(openWait)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return protocol.NewError(protocol.CodeInternal, fmt.Sprintf("%s could not open %s (%v)", name, checked, err), "open it yourself")
		}
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// openable returns the target in a form that is safe to pass to a program: a clean
// absolute path, or a URL that was parsed and formatted again. By its first
// character, neither can be mistaken for an option.
func openable(target string) (string, error) {
	bad := func(why string) error {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%q cannot be opened: %s", target, why), "only folders, documents and web pages can")
	}
	if strings.ContainsFunc(target, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", bad("it has control characters")
	}
	if filepath.IsAbs(target) {
		path := filepath.Clean(target)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", bad("it does not exist")
		case err != nil:
			return "", bad(err.Error())
		case info.IsDir():
			return path, nil
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 || runs(path):
			return "", bad("it is a program")
		}
		return path, nil
	}
	u, err := url.Parse(target)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return "", bad("it is neither an absolute path nor an http or https URL")
	}
	return u.String(), nil
}

// runs reports whether a desktop runs a file with this name instead of showing it.
func runs(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".desktop", ".app", ".command", ".exe", ".com", ".bat", ".cmd", ".msi", ".lnk", ".url", ".scr", ".pif",
		".js", ".jse", ".vbs", ".vbe", ".wsf", ".wsh", ".ps1", ".hta", ".jar", ".reg", ".cpl":
		return true
	default:
		return false
	}
}

// field makes untrusted text fit for one line that a user reads: no control
// characters, at most limit runes.
func field(s string, limit int) string {
	var b bytes.Buffer
	n := 0
	for _, r := range strings.ToValidUTF8(s, "�") {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			r = ' '
		}
		if n == limit {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
