package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"pilotfish/backend/protocol"
)

// copyProfile copies the profile of another session into one that was never used. A
// profile that was used stays as it is: it is copied once.
func copyProfile(from, to, name string) error {
	if _, err := os.Stat(filepath.Join(to, "Local State")); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(from, "Local State")); err != nil {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("profile: session %s has no profile to copy", name), "start that session once, or choose another one")
	}
	if inUse(from) {
		return protocol.NewError(protocol.CodeProfileInUse, fmt.Sprintf("profile: session %s is running, and its profile changes while it is copied", name), fmt.Sprintf("stop it first: pilotfish sessions stop %s", name))
	}
	half := to + ".copy"
	if err := os.RemoveAll(half); err != nil {
		return fmt.Errorf("copying the profile of session %s: %w", name, err)
	}
	if err := copyTree(from, half); err != nil {
		_ = os.RemoveAll(half)
		return fmt.Errorf("copying the profile of session %s: %w", name, err)
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("copying the profile of session %s: %w", name, err)
	}
	if err := os.Rename(half, to); err != nil {
		return fmt.Errorf("copying the profile of session %s: %w", name, err)
	}
	return nil
}

// inUse reports whether a browser runs on a profile. The lock of a browser that crashed
// does not count.
func inUse(profile string) bool {
	target, err := os.Readlink(filepath.Join(profile, "SingletonLock"))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(target[strings.LastIndexByte(target, '-')+1:])
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// passing reports whether a file of a profile is for one run only, or can be made again.
func passing(name string) bool {
	return strings.HasPrefix(name, "Singleton") || strings.HasSuffix(name, "Cache") || strings.HasPrefix(name, "Crash") || name == "DevToolsActivePort"
}

// copyTree copies files and folders, and no links.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case relative != "." && passing(entry.Name()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, relative), 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		return copyFile(path, filepath.Join(to, relative))
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// idOfKey returns the id that the browser gives an extension with a key.
func idOfKey(key string) string {
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(der)
	var id strings.Builder
	for _, b := range sum[:16] {
		id.WriteByte('a' + b>>4)
		id.WriteByte('a' + b&15)
	}
	return id.String()
}
