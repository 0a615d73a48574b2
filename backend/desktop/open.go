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

	"pilotfish/backend/protocol"
)

// openWait is how long an opener may take to fail. One that still runs then is
// the program itself, which showed the target in the foreground.
const openWait = 3 * time.Second

// Open shows a folder, a document or a page in the desktop's own program. target
// is an absolute path or an http or https URL; anything else, and every file
// that would be run instead of shown, is CodeBadArgument. It does not wait for
// the program.
func Open(ctx context.Context, target string) error {
	checked, err := openable(target)
	if err != nil {
		return err
	}
	name, args := opener(checked)
	path, err := exec.LookPath(name)
	if err != nil {
		return protocol.NewError(protocol.CodeNotRunning, "this system has no "+name, "open it yourself: "+checked)
	}
	// What is opened outlives the call and the app: the person closes it.
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

// openable returns the target in the form in which it may be handed to a
// program: a clean absolute path, or a URL that was parsed and written anew. By
// its first character neither can be taken for an option.
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

// runs reports whether a desktop runs a file of this name instead of showing it.
func runs(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".desktop", ".app", ".command", ".exe", ".com", ".bat", ".cmd", ".msi", ".lnk", ".url", ".scr", ".pif",
		".js", ".jse", ".vbs", ".vbe", ".wsf", ".wsh", ".ps1", ".hta", ".jar", ".reg", ".cpl":
		return true
	default:
		return false
	}
}

// field makes foreign text fit for one line that a person reads: no control
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
