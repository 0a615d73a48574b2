package browser

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// saveScreenshot writes a screenshot under a random name, so that no other
// program can guess the name or create the file beforehand.
func (b *Browser) saveScreenshot(id protocol.TabID, format string, data []byte) (string, error) {
	dir := b.config.ScreenshotDir
	if dir == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for screenshots is set", "")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", files.NotWritable(dir, err)
	}
	suffix := make([]byte, 6)
	if _, err := rand.Read(suffix); err != nil {
		return "", fmt.Errorf("naming the screenshot: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s.%s", id, hex.EncodeToString(suffix), format))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", files.NotWritable(dir, err)
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(path)
		return "", files.NotWritable(dir, err)
	}
	return path, nil
}

// savePage writes a file that was made from a page (such as a PDF) to the
// screenshot folder, and returns it with the page's URL.
func (b *Browser) savePage(ctx context.Context, id protocol.TabID, p *page.Page, kind string, data []byte) (protocol.PageFile, error) {
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return protocol.PageFile{}, err
	}
	if b.config.Mask != nil && kind != "pdf" {
		data = []byte(b.config.Mask(unfolded(string(data), kind)))
	}
	path, err := b.saveScreenshot(id, kind, data)
	return protocol.PageFile{Path: path, Bytes: len(data), URL: info.URL}, err
}

// unfolded returns an archive without the line breaks that its form adds within
// text, so that no value is cut in two. Padding before the end of a part stays.
func unfolded(text, kind string) string {
	if kind != "mhtml" {
		return text
	}
	return regexp.MustCompile(`([^?])=\r\n([^\r-])`).ReplaceAllString(text, "$1$2")
}
