package agent

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// strippedNames returns the variables that an agent must not inherit.
func strippedNames() []string {
	return []string{
		// They load code into every program, or make programs wait for a
		// debugger.
		"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PYTHONINSPECT", "PYTHONBREAKPOINT",
		"GODEBUG", "GOTRACEBACK", "MALLOC_TRACE", "G_DEBUG", "G_MESSAGES_DEBUG", "GTK_DEBUG", "JAVA_TOOL_OPTIONS", "ELECTRON_RUN_AS_NODE",
		"WEBKIT_INSPECTOR_SERVER", "WEBKIT_INSPECTOR_HTTP_SERVER", "CHROME_LOG_FILE", "CHROME_DEVEL_SANDBOX", "CHROME_DESKTOP",
		// They describe another terminal than the one the agent runs in.
		"TERM", "TERMINFO", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "COLORTERM", "COLUMNS", "LINES", "WINDOWID",
		"VTE_VERSION", "TMUX", "TMUX_PANE", "STY", "WINDOW", "WT_SESSION", "INSIDE_EMACS",
		// They make claude refuse to start inside itself.
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
		// They belong to the program that started us.
		"OLDPWD", "PWD", "SHLVL", "_", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN",
		"INVOCATION_ID", "JOURNAL_STREAM", "APPIMAGE", "APPDIR", "ARGV0", "OWD",
	}
}

// strippedPrefixes returns prefixes of such variables. Our own prefix is first:
// an agent must not get the app's secrets; what it may know is set again.
func strippedPrefixes() []string {
	return []string{
		"PILOTFISH_",
		"VSCODE_", "KITTY_", "WEZTERM_", "ALACRITTY_", "KONSOLE_", "ITERM_", "GNOME_TERMINAL_", "GHOSTTY_",
		"PUPPETEER_WS", "PLAYWRIGHT_WS", "PW_TEST_",
	}
}

// cleaned returns the inherited environment without the variables that an agent
// must not see.
func cleaned(env []string) []string {
	names, prefixes := strippedNames(), strippedPrefixes()
	kept := make([]string, 0, len(env))
	for _, pair := range env {
		name, value, found := strings.Cut(pair, "=")
		switch {
		case !found || name == "":
		case slices.Contains(names, name):
		// `pilotfish` finds the app by it. A relative path would mean another folder there.
		case name == protocol.EnvHome:
			if home, err := filepath.Abs(value); err == nil && value != "" {
				kept = append(kept, name+"="+home)
			}
		case slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }):
		// A debugger uses this option to attach to every Node program; other
		// options are the user's own.
		case name == "NODE_OPTIONS" && (strings.Contains(value, "--inspect") || strings.Contains(value, "bootloader.js")):
		default:
			kept = append(kept, pair)
		}
	}
	return kept
}

// set replaces or adds a variable.
func set(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	return append(env, name+"="+value)
}

// lookup returns a function that reads env as os.Getenv reads the process's.
func lookup(env []string) func(string) string {
	return func(name string) string {
		for _, pair := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// withTerminal sets the variables that describe the terminal in the panel.
func withTerminal(env []string) []string {
	env = set(env, "TERM", "xterm-256color")
	env = set(env, "COLORTERM", "truecolor")
	env = set(env, "TERM_PROGRAM", "Pilotfish")
	get := lookup(env)
	if get("LC_ALL") == "" && get("LC_CTYPE") == "" && get("LANG") == "" {
		// Without a locale, programs use ASCII only; the terminal is UTF-8.
		if runtime.GOOS == "darwin" {
			return set(env, "LC_CTYPE", "UTF-8")
		}
		return set(env, "LC_CTYPE", "C.UTF-8")
	}
	return env
}
