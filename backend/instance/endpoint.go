package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// maxEndpoint is the maximum size of an endpoint file in bytes; a real one has a few
// hundred.
const maxEndpoint = 64 << 10

// WriteEndpoint writes the endpoint file of this process. It fills in the pid and the
// start time.
func WriteEndpoint(path string, e protocol.Endpoint) error {
	e.Version, e.PID = protocol.StateVersion, os.Getpid()
	start, err := startTime(e.PID)
	if err != nil {
		return err
	}
	e.StartTime = start
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the endpoint: %w", err)
	}
	// The file is only for this run, so there is no need to wait for the disk.
	return journal.ReplaceFile(path, append(data, '\n'), 0o600)
}

// ReadEndpoint finds the running app. It returns CodeNotRunning when there is none,
// also when there is the file of a dead one; CodeNotRunning together with the
// endpoint when the app is ending; and CodeRefused when other users have access to
// the file: whoever wrote it could redirect our commands.
func ReadEndpoint(path string) (protocol.Endpoint, error) {
	file, err := openOurs(path)
	if errors.Is(err, fs.ErrNotExist) {
		return protocol.Endpoint{}, notRunning()
	}
	if err != nil {
		return protocol.Endpoint{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxEndpoint))
	if err != nil {
		return protocol.Endpoint{}, fmt.Errorf("reading the endpoint: %w", err)
	}
	var e protocol.Endpoint
	if json.Unmarshal(data, &e) != nil || e.Version != protocol.StateVersion || e.Port <= 0 || e.Port > 65535 || e.Token == "" {
		return protocol.Endpoint{}, protocol.NewError(protocol.CodeNotRunning, path+" is not an endpoint file of this version", "start Pilotfish again, which writes it anew")
	}
	// The pid alone may have been reused for another process.
	if start, err := startTime(e.PID); err != nil || start != e.StartTime {
		return protocol.Endpoint{}, notRunning()
	}
	if e.Ending {
		return e, protocol.NewError(protocol.CodeNotRunning, "Pilotfish is ending", "try again when it has ended")
	}
	return e, nil
}

// RemoveEndpoint removes the endpoint file. It is not an error if there is none.
func RemoveEndpoint(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the endpoint: %w", err)
	}
	return nil
}

func notRunning() error {
	return protocol.NewError(protocol.CodeNotRunning, "Pilotfish is not running", "start it, or run `pilotfish serve --headless`")
}

func refused(message string) error {
	return protocol.NewError(protocol.CodeRefused, message, "remove it and start Pilotfish again")
}
