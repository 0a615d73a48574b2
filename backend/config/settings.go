package config

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/protocol"
)

// version is the version of the settings file.
const version = 1

// file is the settings file. Every save writes the explanations of the registry as
// comments, so that the file is clear to a user who edits it by hand.
type file struct {
	Version int `toml:"version"`
	protocol.Settings
	// The file has these in another form.
	ChatInstant     bool     `toml:"chat_instant"`
	ChatStrongWords []string `toml:"chat_strong_words"`
	ChatLongText    int      `toml:"chat_long_text"`
	CDPAllow        []string `toml:"cdp_allow"`
	CDPAllowAgents  []string `toml:"cdp_allow_agents"`
	// A table must be last: keys after it would belong to it.
	ChatModels map[protocol.AgentKind]chatModels `toml:"chat_models"`
	// Sessions are read by backend/identity at each start of a session. They are kept
	// as they are here.
	Sessions map[string]any `toml:"sessions,omitempty"`
}

// chatModels are the models of one agent.
type chatModels struct {
	Fast   string `toml:"fast"`
	Strong string `toml:"strong"`
}

// Defaults are the settings of a new installation.
func Defaults() protocol.Settings {
	return protocol.Settings{
		Agent: protocol.AgentAuto, FontSize: 13, TextSize: 100, ConfineAgents: true, TerminalNotices: true, ActivityShots: true, StartSession: true, Theme: protocol.ThemeSystem,
		TerminalGraceMinutes: int(protocol.DefaultTerminalGrace.Minutes()),
		ChatAgent:            protocol.AgentAuto, ChatSilenceMinutes: int(protocol.ChatSilence.Minutes()),
		ChatRouting: protocol.ChatRouting{Instant: true, Strong: []string{}, LongText: 600, Models: map[protocol.AgentKind]protocol.ChatModels{}},
	}
}

func fileOf(s protocol.Settings) file {
	return file{
		Version: version, Settings: s,
		CDPAllow: Methods(s.CDPAllow), CDPAllowAgents: Methods(s.CDPAllowAgents),
		ChatInstant: s.ChatRouting.Instant, ChatStrongWords: some(s.ChatRouting.Strong), ChatLongText: s.ChatRouting.LongText, ChatModels: models(s.ChatRouting.Models),
	}
}

// Methods splits a list of words that a user wrote, with spaces or commas between
// them.
func Methods(text string) []string {
	return some(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' }))
}

func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func models(table map[protocol.AgentKind]protocol.ChatModels) map[protocol.AgentKind]chatModels {
	out := make(map[protocol.AgentKind]chatModels, len(table))
	for kind, m := range table {
		out[kind] = chatModels(m)
	}
	return out
}

func (f file) settings() protocol.Settings {
	chosen := make(map[protocol.AgentKind]protocol.ChatModels, len(f.ChatModels))
	for kind, m := range f.ChatModels {
		chosen[kind] = protocol.ChatModels(m)
	}
	s := f.Settings
	s.CDPAllow, s.CDPAllowAgents = strings.Join(f.CDPAllow, " "), strings.Join(f.CDPAllowAgents, " ")
	s.ChatRouting = protocol.ChatRouting{Instant: f.ChatInstant, Strong: some(f.ChatStrongWords), LongText: f.ChatLongText, Models: chosen}
	return s
}

// The range of the font size in pixels and of the text size in percent, the longest grace in minutes (a week), the
// longest silence in minutes, and the limits of the table of routes.
const (
	minFontSize = 8
	maxFontSize = 32
	minTextSize = 80
	maxTextSize = 150
	maxLongText = 1_000_000
	maxGrace    = 7 * 24 * 60
	maxSilence  = 240
	maxWords    = 1000
)

// check refuses values that can never be valid.
func check(s protocol.Settings) error {
	if err := checkRegistry(s); err != nil {
		return err
	}
	switch {
	case s.Agent == "":
		return wrong("agent", "no agent is chosen", `choose "auto", an agent, or "shell"`)
	case s.Agent == protocol.AgentCustom && s.AgentCommand == "":
		return wrong("agentCommand", "the command line of the agent is empty", "write the command that starts your agent")
	}
	if err := checkChat(s); err != nil {
		return err
	}
	if s.StartURL != "" {
		u, err := url.Parse(s.StartURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "about" && u.Scheme != "file") {
			return wrong("startUrl", fmt.Sprintf("%q is not the address of a page", s.StartURL), "enter the full address, such as https://example.com/")
		}
	}
	if s.NotifyURL != "" {
		if _, err := NotifyURL(s.NotifyURL); err != nil {
			return err
		}
	}
	for field, text := range map[string]string{"cdpAllow": s.CDPAllow, "cdpAllowAgents": s.CDPAllowAgents} {
		for _, method := range Methods(text) {
			if !protocol.CDPMethod(method) {
				return wrong(field, fmt.Sprintf("%.60q is not a method of the DevTools protocol", method), "write it as Page.captureScreenshot, with spaces between several")
			}
		}
	}
	for field, path := range map[string]string{"browserPath": s.BrowserPath, "profileDir": s.ProfileDir, "workDir": s.WorkDir} {
		if path != "" && !filepath.IsAbs(path) {
			return wrong(field, fmt.Sprintf("%q is not an absolute path", path), "start it at the root, such as /home/you/…")
		}
	}
	return nil
}

// checkChat refuses values for Chat that can never be valid.
func checkChat(s protocol.Settings) error {
	switch {
	case s.ChatAgent == "" || s.ChatAgent == protocol.AgentShell:
		return wrong("chatAgent", "no agent is chosen for Chat", `choose "auto", "pilot", or an agent`)
	case s.ChatAgent == protocol.AgentCustom && s.ChatCommand == "":
		return wrong("chatCommand", "the command line of the agent is empty", "write the command that starts your agent")
	case len(s.ChatRouting.Strong) > maxWords || len(s.ChatRouting.Models) > maxWords:
		return wrong("chatRouting", "the table of routes is too large", fmt.Sprintf("it has %d words at most", maxWords))
	}
	return nil
}

// checkPaths refuses paths that are wrong now.
func checkPaths(s protocol.Settings) error {
	if s.BrowserPath != "" {
		info, err := os.Stat(s.BrowserPath)
		switch {
		case err != nil:
			return wrong("browserPath", s.BrowserPath+" does not exist", "choose the browser's program")
		case info.IsDir() || info.Mode().Perm()&0o111 == 0:
			return wrong("browserPath", s.BrowserPath+" is not a program", "choose the browser's program")
		}
	}
	if s.WorkDir != "" {
		info, err := os.Stat(s.WorkDir)
		if err != nil || !info.IsDir() {
			return wrong("workDir", s.WorkDir+" is not a folder", "choose a folder that exists")
		}
	}
	return nil
}

// FieldError is the error of one setting. It wraps a *protocol.Error.
type FieldError struct {
	field string
	err   *protocol.Error
}

// Field returns the JSON name of the setting.
func (e *FieldError) Field() string { return e.field }

// Error says what is wrong with the setting, and what to do.
func (e *FieldError) Error() string { return e.err.Error() }

// Unwrap returns the *protocol.Error.
func (e *FieldError) Unwrap() error { return e.err }

func wrong(field, message, hint string) error {
	return &FieldError{field: field, err: protocol.NewError(protocol.CodeBadArgument, message, hint)}
}
