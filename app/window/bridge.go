package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	wailsrt "github.com/wailsapp/wails/v2/pkg/runtime"

	"pilotfish/backend/protocol"
)

// Bridge is what the page may call: exactly its exported methods.
type Bridge struct{ window *window }

// Call calls an operation of the app, about a session ("" for none), with the JSON of what
// it takes. An error's text is the one that the app sent: a protocol.SettingsError as JSON.
func (b *Bridge) Call(operation string, session protocol.SessionName, in json.RawMessage) (json.RawMessage, error) {
	return b.window.app.call(protocol.WindowReport{Op: operation, Session: session, In: in})
}

// ChooseFolder shows a dialog to choose a folder, starting at current. It
// returns "" when the user chose none.
func (b *Bridge) ChooseFolder(title, current string) (string, error) {
	return b.choose(func(ctx context.Context) (string, error) {
		return wailsrt.OpenDirectoryDialog(ctx, wailsrt.OpenDialogOptions{Title: title, DefaultDirectory: existing(current), CanCreateDirectories: true, ShowHiddenFiles: true})
	})
}

// ChooseFile shows a dialog to choose a file, starting in current's folder. It
// returns "" when the user chose none.
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

// existing returns the folder to start a dialog in, or "" when dir is not one.
func existing(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}
