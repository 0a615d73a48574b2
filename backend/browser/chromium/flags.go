package chromium

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// flag is one of Chromium's switches with the reason for it. chromedp's own set
// is not used: it is made for automation (a mock keychain, no phishing
// protection, no popup blocking), not for a browser that a user works in. The
// choice of password store is left to the system for the same reason.
type flag struct {
	value  string
	reason string
}

// flags returns the switches for a launch.
func flags(o *Options) []flag {
	f := []flag{
		{"--remote-debugging-pipe", "the protocol over two inherited descriptors: no port for anybody else to find"},
		{"--enable-unsafe-extension-debugging", "Extensions.loadUnpacked, setStorageItems and triggerAction; reachable over our pipe only"},
		{"--user-data-dir=" + o.ProfileDir, "the session's own profile, never the person's everyday one"},
		{"--no-first-run", "no first-run pages in front of the page that was asked for"},
		{"--no-default-browser-check", "this profile is not meant to be the default browser"},
		{"--hide-crash-restore-bubble", "after a crash the tabs come back by themselves; no bubble that offers it again"},
		{"--disable-background-networking", "no calls home that nobody asked for; they hang on a closed network"},
		{"--disable-component-update", "the same"},
		{"--gaia-url=" + nowhere, "the browser would ask accounts.google.com who is signed in (seen); pages sign in there all the same"},
		{"--component-updater=url-source=" + nowhere, "some parts of the browser request a component all the same (seen)"},
		{"--disable-sync", "agents act here: nothing of it belongs into the person's account"},
		{"--disable-features=" + strings.Join(disabledFeatures, ","), "see disabledFeatures"},
		{"--disable-quic", "UDP is often swallowed on a closed network, and QUIC then waits for its time-out"},
		{"--enable-features=WebMCP", "document.modelContext: a page can offer tools to agents; off by default in Chromium 156 (seen)"},
		{"--allow-pre-commit-input", "what is pressed and typed before a page's first frame reaches it; Chromium drops it and says nothing (up to half a second, seen)"},
		{"--disable-search-engine-choice-screen", "no dialog in front of the first page"},
	}
	loaded := slices.Clone(o.Extensions)
	if o.ExtensionDir != "" {
		loaded = slices.Concat([]string{o.ExtensionDir}, distributed(), loaded)
	}
	if len(loaded) > 0 {
		f = append(f, flag{"--load-extension=" + strings.Join(loaded, ","), "with the browser instead of after it: its panel opens 200 ms earlier (seen)"})
	}
	if o.Headless {
		f = append(f,
			flag{"--headless=new", "the same browser without a window"},
			flag{"--hide-scrollbars", "in screenshots, where nobody scrolls"},
			flag{"--mute-audio", "nobody listens"},
			flag{fmt.Sprintf("--window-size=%d,%d", headlessWidth, headlessHeight), "a desktop's usual size"},
		)
	}
	if o.Crashed {
		f = append(f, flag{"--restore-last-session", "the tabs come back with their history, which nobody else has"})
	}
	if o.NoKeyring {
		f = append(f, flag{"--password-store=basic", "no keyring runs; Chromium would start one and wait with every page for a password that nobody is asked for in view"})
	}
	if o.NoSandbox {
		f = append(f,
			flag{"--no-sandbox", "Chromium refuses to run as root with its sandbox; only when PILOTFISH_NO_SANDBOX=1 says so"},
			flag{"--test-type", "no yellow bar about --no-sandbox in every window; the app's window says it instead"},
		)
		if runtime.GOOS == "linux" {
			f = append(f, flag{"--disable-dev-shm-usage", "/dev/shm is 64 MB in most containers, and tabs crash when it is full"})
		}
	}
	for _, more := range o.Switches {
		f = append(f, flag{more, "of the session's identity"})
	}
	return f
}

// disabledFeatures are the features of Chromium that are turned off. They share
// one switch, because Chromium only uses the last --disable-features.
var disabledFeatures = []string{
	// With it, a page's tasks after an input wait for the next frame, and so does
	// the report of what the input did: 10 ms per click (measured).
	"DeferRendererTasksAfterInput",
	// These are pages of the browser's own, created with each window before they
	// are needed: one more process with two pages, and the panel appears 60 ms
	// later (measured). The address bar uses its native list instead.
	"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "PreloadTopChromeWebUI",
	// A bar below our page for new tabs, which shows the extension's name.
	"NtpFooter",
	// Chromium before 156 ignored --load-extension without this.
	"DisableLoadExtensionCommandLineSwitch",
	// What the browser asks its makers by itself: about each form that it sees,
	// for the time, and for models that it would run (seen).
	"AutofillServerCommunication", "NetworkTimeServiceQuerying",
	"OptimizationGuideModelDownloading", "OptimizationHints", "OptimizationTargetPrediction",
}

// nowhere is an address at which nothing answers: the discard port of this
// machine.
const nowhere = "http://127.0.0.1:9/"

// distributed are the extensions that a Debian system adds to every profile with
// the same switch, which ours would override.
func distributed() []string {
	dirs, _ := filepath.Glob("/usr/share/chromium/extensions/*") // only a bad pattern fails
	return dirs
}

// The size of a headless browser's page, in device-independent pixels.
const (
	headlessWidth  = 1280
	headlessHeight = 800
)

// args returns the command line: the switches, then the pages. The page in front
// comes first, as Chromium requires.
func args(o *Options) []string {
	var out []string
	for _, f := range flags(o) {
		out = append(out, f.value)
	}
	return append(out, startPages(o)...)
}

// startPages are the URLs that the browser opens by itself.
func startPages(o *Options) []string {
	if o.Crashed {
		return nil
	}
	var pages []string
	for _, t := range Restorable(o.Restore) {
		pages = append(pages, t.URL)
	}
	if len(pages) > 1 && o.Headless {
		// Headless Chromium accepts one page ("Multiple targets are not
		// supported"); the others are opened once it answers.
		pages = pages[:1]
	}
	if len(pages) == 0 && o.StartURL != nil {
		if u := o.StartURL(); Startable(u) {
			pages = append(pages, u)
		}
	}
	if len(pages) == 0 {
		pages = append(pages, "about:blank")
	}
	return pages
}

// Restorable returns the tabs that can be opened again. It leaves out anything
// that is not a URL with a scheme: a page's URL from a state file must never
// become a switch.
func Restorable(known []tabs.RestoreTab) []tabs.RestoreTab {
	var out []tabs.RestoreTab
	for _, t := range known {
		if Startable(t.URL) {
			out = append(out, t)
		}
	}
	return out
}

// Startable reports whether a URL may be opened at the start and cannot be read
// as a switch.
func Startable(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || strings.HasPrefix(raw, "-") {
		return false
	}
	switch u.Scheme {
	case "http", "https", "file", "about", "data", "chrome", "chrome-extension":
		return true
	}
	return false
}

// SandboxError is the error for a launch as root without NoSandbox.
func SandboxError() error {
	return protocol.NewError(protocol.CodeNoSandbox, "Chromium does not run as root with its sandbox",
		"run Pilotfish as an ordinary user, or set "+protocol.EnvSandbox+"=1 in a container that is thrown away")
}
