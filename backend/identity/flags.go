package identity

import (
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// safeFlags are the switches that a session may add. They change how the browser looks
// and draws, and nothing that protects the user.
func safeFlags() []string {
	return []string{
		"autoplay-policy", "disable-3d-apis", "disable-accelerated-2d-canvas", "disable-accelerated-video-decode", "disable-gpu", "disable-gpu-compositing",
		"disable-lcd-text", "disable-smooth-scrolling", "disable-webgl", "enable-gpu-rasterization", "enable-smooth-scrolling", "enable-zero-copy",
		"font-render-hinting", "force-color-profile", "force-dark-mode", "force-device-scale-factor", "force-high-contrast", "force-prefers-no-reduced-motion",
		"force-prefers-reduced-motion", "hide-scrollbars", "ignore-gpu-blocklist", "mute-audio", "ozone-platform", "ozone-platform-hint", "start-fullscreen",
		"start-maximized", "touch-events", "use-angle", "use-gl", "webrtc-ip-handling-policy", "window-position", "window-size",
	}
}

// danger is why a switch is refused, by the words in its name. The first that fits
// counts.
type danger struct {
	words  []string
	reason string
}

func dangers() []danger {
	return []danger{
		{[]string{"remote-debugging", "debugging-port", "remote-allow-origins", "devtools", "inspect", "enable-automation", "unsafe-extension-debugging", "custom-devtools", "webdriver"}, "it opens the browser to other programs, which could then drive it and read everything in it"},
		{[]string{"sandbox", "single-process", "no-zygote", "in-process", "allow-third-party-modules", "renderer-cmd-prefix", "utility-cmd-prefix", "gpu-launcher", "browser-subprocess-path", "js-flags", "load-and-launch"}, "it turns off the sandbox, or runs another program in its place"},
		{[]string{"web-security", "site-isolation", "site-per-process", "isolate-origins", "insecure", "certificate-error", "ignore-certificate", "allow-file-access", "allow-universal", "cross-origin", "mixed-content", "xss", "popup-blocking", "phishing", "safebrowsing", "safe-browsing", "trusted-download", "allow-http", "unsafe", "test-type", "use-fake-ui"}, "it turns off rules that protect you on the web"},
		{[]string{"host-rules", "host-resolver", "ssl-key-log", "log-net-log", "net-log", "cipher", "ssl-version", "tls", "dns"}, "it changes or records where the browser connects to"},
		{[]string{"load-extension", "extensions"}, "write the folder in extensions"},
		{[]string{"user-data-dir", "profile-directory", "incognito", "guest", "disk-cache-dir"}, "choose the profile with profile"},
		{[]string{"proxy"}, "write the proxy in proxy and proxy_bypass"},
		{[]string{"user-agent"}, "write it in user_agent"},
		{[]string{"lang"}, "write it in languages"},
		{[]string{"features"}, "it can turn off protections, and would replace the features that Pilotfish sets"},
		{[]string{"password-store", "mock-keychain", "keychain"}, "it changes how the browser protects passwords"},
	}
}

// checkFlags allows only what is known to be safe.
func checkFlags(id protocol.SessionIdentity) error {
	for _, flag := range id.Flags {
		bare, ok := strings.CutPrefix(flag, "--")
		name, _, _ := strings.Cut(bare, "=")
		allowed := "these are allowed: " + strings.Join(safeFlags(), ", ")
		if !ok || name == "" {
			return problem("flags", "begin it with --; "+allowed, "%.60q is not a switch of the browser", flag)
		}
		if slices.Contains(safeFlags(), name) {
			continue
		}
		for _, d := range dangers() {
			if slices.ContainsFunc(d.words, func(word string) bool { return strings.Contains(strings.ToLower(name), word) }) {
				return problem("flags", allowed, "%.60q is refused: %s", "--"+name, d.reason)
			}
		}
		return problem("flags", allowed, "%.60q is not one of the switches that are known to be safe", "--"+name)
	}
	return nil
}
