package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	wailsrt "github.com/wailsapp/wails/v2/pkg/runtime"
)

// Bridge is what the page may call: exactly its exported methods.
type Bridge struct{ window *window }

// Call calls a method of the app. The error's text is that of the app, a
// protocol.SettingsError as JSON.
func (b *Bridge) Call(method string, args []json.RawMessage) (json.RawMessage, error) {
	return b.window.app.call(method, args)
}

// ChooseFolder asks the person for a folder, starting at current; it returns ""
// when none was chosen.
func (b *Bridge) ChooseFolder(title, current string) (string, error) {
	return b.choose(func(ctx context.Context) (string, error) {
		return wailsrt.OpenDirectoryDialog(ctx, wailsrt.OpenDialogOptions{Title: title, DefaultDirectory: existing(current), CanCreateDirectories: true, ShowHiddenFiles: true})
	})
}

// ChooseFile asks the person for a file, starting beside current; it returns ""
// when none was chosen.
func (b *Bridge) ChooseFile(title, current string) (string, error) {
	return b.choose(func(ctx context.Context) (string, error) {
		return wailsrt.OpenFileDialog(ctx, wailsrt.OpenDialogOptions{Title: title, DefaultDirectory: existing(filepath.Dir(current)), ShowHiddenFiles: true})
	})
}

func (b *Bridge) choose(ask func(context.Context) (string, error)) (string, error) {
	ctx := b.window.context()
	if ctx == nil {
		return "", errors.New("there is no window to ask in")
	}
	chosen, err := ask(ctx)
	if err != nil {
		return "", fmt.Errorf("opening the dialog: %w", err)
	}
	return chosen, nil
}

// existing returns a folder to start a dialog in, or "" for the dialog's own
// choice.
func existing(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}
