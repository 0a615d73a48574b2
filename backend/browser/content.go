package browser

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

//go:embed text.js
var textScript string

// Text returns what a person could read on a tab's page, at most limit
// characters of it.
func (b *Browser) Text(ctx context.Context, id protocol.TabID, limit int) (protocol.PageText, error) {
	var text protocol.PageText
	err := b.onTab(ctx, id, true, func(ctx context.Context, _ *run, p *page) error {
		world, err := p.world(ctx)
		if err != nil {
			return err
		}
		text, err = evaluate[protocol.PageText](ctx, p.session, fmt.Sprintf("%s(%d)", textScript, limit), world)
		return err
	})
	return text, err
}

// saveScreenshot writes a picture under a name that nobody can guess or have
// planted.
func (b *Browser) saveScreenshot(id protocol.TabID, format string, data []byte) (string, error) {
	dir := b.config.ScreenshotDir
	if dir == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for screenshots is set", "")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", notWritable(dir, err)
	}
	suffix := make([]byte, 6)
	if _, err := rand.Read(suffix); err != nil {
		return "", fmt.Errorf("naming the screenshot: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s.%s", id, hex.EncodeToString(suffix), format))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", notWritable(dir, err)
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
		return "", notWritable(dir, err)
	}
	return path, nil
}
