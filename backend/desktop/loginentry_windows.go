package desktop

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/windows/registry"
)

// The registry value that starts a program at login.
const (
	runKey  = `Software\Microsoft\Windows\CurrentVersion\Run`
	runName = "Pilotfish"
)

// Enable starts program with args at the next login.
func (LoginEntry) Enable(program string, args ...string) error {
	if err := startable(program, args); err != nil {
		return err
	}
	words := make([]string, 0, 1+len(args))
	for _, word := range append([]string{program}, args...) {
		words = append(words, syscall.EscapeArg(word))
	}
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return notWritable(runKey, err)
	}
	defer func() { _ = key.Close() }()
	if err := key.SetStringValue(runName, strings.Join(words, " ")); err != nil {
		return notWritable(runKey, err)
	}
	return nil
}

// Disable removes the entry.
func (LoginEntry) Disable() error {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	if err != nil {
		return notWritable(runKey, err)
	}
	defer func() { _ = key.Close() }()
	if err := key.DeleteValue(runName); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return notWritable(runKey, err)
	}
	return nil
}

// Enabled reports whether there is an entry.
func (LoginEntry) Enabled() (bool, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the login entry: %w", err)
	}
	defer func() { _ = key.Close() }()
	value, _, err := key.GetStringValue(runName)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the login entry: %w", err)
	}
	return value != "", nil
}
