package chromium

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"pilotfish/backend/protocol"
)

// free returns an error when a running browser uses the profile: it holds the file
// lockfile open, and lets nobody else open it.
func free(_ fs.FileInfo, dir string) error {
	lock, err := os.OpenFile(filepath.Join(dir, "lockfile"), os.O_RDWR, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return protocol.NewError(protocol.CodeProfileInUse, "another browser uses the profile "+dir,
			"close that browser, or choose another profile folder in Settings")
	}
	if err == nil {
		return lock.Close() // of a dead browser
	}
	return nil
}
