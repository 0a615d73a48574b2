// Package extension holds the built browser extension and the welcome page, so
// that the app is one file.
package extension

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// ErrNotBuilt is returned when the app was compiled before the extension was:
// only the folder's placeholder is embedded.
var ErrNotBuilt = errors.New("the extension is not built: run make build")

// needed are the files without which the browser does not load the extension,
// or loads it without a panel.
var needed = [...]string{"manifest.json", "panel.html", "tasks.html", "newtab.html", "worker.js", "content.js", "pointed.js", "executor.js"}

// inside is what is built with the extension and is none of its files: what the
// backend itself puts into pages, and the placeholder. A start waits for each
// file that is written.
var inside = [...]string{".gitkeep", "axe.js", "page.js"}

//go:embed all:dist
var dist embed.FS

//go:embed welcome/index.html
var welcome []byte

// noNote is the place of a note in the welcome page.
const noNote = `<p class="note" hidden></p>`

// noAgent is what the welcome page offers to try in a terminal with a shell.
const noAgent = "pilotfish goto example.com"

// withAgent is what it offers when the terminal runs an agent.
const withAgent = "What is on this page, and what can I do here?"

// WelcomePage is the page that the backend serves as GET /welcome: whole, with
// its style and script inside it, with a note for the user, and with something
// to ask the agent that a terminal runs; both may be empty. It is shown in the theme
// of the settings.
func WelcomePage(note, agent, theme string) []byte {
	page := themed(welcome, theme)
	if note != "" {
		page = bytes.Replace(page, []byte(noNote), []byte(`<p class="note">`+html.EscapeString(note)+`</p>`), 1)
	}
	if agent != "" {
		page = bytes.ReplaceAll(page, []byte(noAgent), []byte(withAgent))
		says := agent + " is here, and reads the page itself. Type this after its prompt."
		// A build in another language says something else there.
		shell := regexp.MustCompile(`<span id="terminal"\s*>[^<]*`)
		page = shell.ReplaceAllLiteral(page, []byte(`<span id="terminal">`+html.EscapeString(says)))
	}
	return page
}

// themed returns a page in a theme: "light" or "dark", or else that of the browser.
func themed(page []byte, theme string) []byte {
	if theme != "light" && theme != "dark" {
		return page
	}
	return bytes.Replace(page, []byte(`<html lang="en">`), []byte(`<html lang="en" data-theme="`+theme+`">`), 1)
}

// WelcomePolicy is the Content-Security-Policy that the page needs and nothing
// more: its own style and script by their hashes.
func WelcomePolicy() string {
	return "default-src 'none'; style-src " + hashOf("style") + "; script-src " + hashOf("script") +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// hashOf returns the CSP source of the one element of the welcome page with
// this tag.
func hashOf(tag string) string {
	_, after, _ := bytes.Cut(welcome, []byte("<"+tag+">"))
	inside, _, _ := bytes.Cut(after, []byte("</"+tag+">"))
	sum := sha256.Sum256(inside)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Install writes the built extension into dir, which it replaces. Folders are
// 0700 and files 0600. It returns ErrNotBuilt, and touches nothing, when the
// extension that was embedded is not complete. The page of a new tab is in the theme of
// the settings: it has no rights by which it could ask for it. An extension that stays in a browser
// of the user leaves the browser's own page of a new tab as it is.
func Install(dir, theme string, stays bool) error {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		return fmt.Errorf("open the embedded extension: %w", err)
	}
	return install(built, dir, theme, stays)
}

// install is Install for any built extension.
func install(built fs.FS, dir, theme string, stays bool) error {
	for _, name := range needed {
		if _, err := fs.Stat(built, name); err != nil {
			return ErrNotBuilt
		}
	}
	// A file of an older version would be loaded beside the new ones.
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("replace the extension: %w", err)
	}
	err := fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if slices.Contains(inside[:], name) {
			return nil
		}
		data, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		switch {
		case name == "newtab.html":
			data = themed(data, theme)
		case name == "manifest.json" && stays:
			var manifest map[string]any
			if err := json.Unmarshal(data, &manifest); err != nil {
				return err
			}
			delete(manifest, "chrome_url_overrides")
			if data, err = json.Marshal(manifest); err != nil {
				return err
			}
		}
		return os.WriteFile(target, data, 0o600)
	})
	if err != nil {
		return fmt.Errorf("write the extension: %w", err)
	}
	return nil
}

// PageScript is what tells how a page looks to an agent, as one classic script.
// It returns ErrNotBuilt when the extension was not built before the app.
func PageScript() (string, error) {
	script, err := fs.ReadFile(dist, "dist/page.js")
	if err != nil {
		return "", ErrNotBuilt
	}
	return string(script), nil
}
