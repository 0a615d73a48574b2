package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// version is the version of the settings file.
const version = 1

// file is the settings file. Every save writes the comments too, so that the file is
// clear to a user who edits it by hand.
type file struct {
	Version              int                `toml:"version" comment:"Settings of Pilotfish. Read at the start of the app; the app's window writes this file.\nThe version of this file; leave it."`
	BrowserPath          string             `toml:"browser_path" comment:"The browser's program. Empty: the first of Chromium, Chrome, Edge and Brave that is found."`
	ProfileDir           string             `toml:"profile_dir" comment:"The browser profile of the default session. Empty: a folder of the session's own."`
	StartURL             string             `toml:"start_url" comment:"The first page. Empty: the welcome page."`
	Agent                protocol.AgentKind `toml:"agent" comment:"What a terminal runs: \"auto\" (claude if it is installed, else your shell), \"claude\", \"shell\", \"codex\", …, or \"custom\"."`
	AgentCommand         string             `toml:"agent_command" comment:"The command line of the agent \"custom\"."`
	AgentArgs            string             `toml:"agent_args" comment:"Further arguments of the agent, as in a shell."`
	WorkDir              string             `toml:"work_dir" comment:"Where agents start. Empty: a folder of the session's own."`
	ConfineAgents        bool               `toml:"confine_agents" comment:"Keep agents away from Pilotfish's own files and processes, where the system allows it."`
	EveryTab             bool               `toml:"every_tab" comment:"Start an agent in each tab that you look at, not only in the first."`
	TerminalGraceMinutes int                `toml:"terminal_grace_minutes" comment:"How long a terminal lives while no panel shows it, in minutes. 0: until the session stops."`
	FontSize             int                `toml:"font_size" comment:"The terminal's font size in pixels, 8 to 32."`
	ChatAgent            protocol.AgentKind `toml:"chat_agent" comment:"Who answers in a new conversation: \"auto\" (the first agent that is installed, else Pilot), \"pilot\", \"claude\", \"gemini\", …, or \"custom\"."`
	ChatCommand          string             `toml:"chat_command" comment:"The command line of the agent \"custom\" in a conversation: a program that speaks the Agent Client Protocol."`
	ChatSilenceMinutes   int                `toml:"chat_silence_minutes" comment:"After how many minutes without output you can stop a turn, 1 to 240."`
	ChatInstant          bool               `toml:"chat_instant" comment:"Plain instructions (\"go to hn\", \"click Save\") are run immediately, without the agent."`
	ChatStrongWords      []string           `toml:"chat_strong_words" comment:"The words that select the strong model; \"…\" matches anything. Empty: the defaults."`
	ChatLongText         int                `toml:"chat_long_text" comment:"Messages with this many characters go to the strong model. 0: never."`
	CDPAllow             []string           `toml:"cdp_allow" comment:"Methods of the DevTools protocol that \"pilotfish cdp\" may send for you, in addition to read-only methods: [\"Page.captureScreenshot\"]."`
	CDPAllowAgents       []string           `toml:"cdp_allow_agents" comment:"The same for agents. You are asked each time, unless a site's rule for \"sensitive\" says otherwise."`
	ActivityShots        bool               `toml:"activity_shots" comment:"Keep a small screenshot of the page after each command that acts, for the activity. Secret fields are covered."`
	Theme                protocol.Theme     `toml:"theme" comment:"The look of window and panel: \"system\", \"light\" or \"dark\"."`
	StartOnLogin         bool               `toml:"start_on_login" comment:"Start Pilotfish with the desktop."`
	StartSession         bool               `toml:"start_session" comment:"Start the default session with the app."`
	// A table must be last: keys after it would belong to it.
	ChatModels map[protocol.AgentKind]chatModels `toml:"chat_models" comment:"The models of each agent: a part of the name of one of its choices. Empty: the conversation's own."`
	// Sessions are read by backend/identity at each start of a session. They are kept
	// as they are here.
	Sessions map[string]any `toml:"sessions,omitempty" comment:"Identity and network of sessions: [sessions.work] with proxy = \"socks5://localhost:1080\", languages = [\"de-DE\", \"en\"], …; see the documentation."`
}

// chatModels are the models of one agent.
type chatModels struct {
	Fast   string `toml:"fast"`
	Strong string `toml:"strong"`
}

// Defaults are the settings of a new installation.
func Defaults() protocol.Settings {
	return protocol.Settings{
		Agent: protocol.AgentAuto, FontSize: 13, ConfineAgents: true, ActivityShots: true, StartSession: true, Theme: protocol.ThemeSystem,
		TerminalGraceMinutes: int(protocol.DefaultTerminalGrace.Minutes()),
		ChatAgent:            protocol.AgentAuto, ChatSilenceMinutes: int(protocol.ChatSilence.Minutes()),
		ChatRouting: protocol.ChatRouting{Instant: true, Strong: []string{}, LongText: 600, Models: map[protocol.AgentKind]protocol.ChatModels{}},
	}
}

func fileOf(s protocol.Settings) file {
	return file{
		Version: version, BrowserPath: s.BrowserPath, ProfileDir: s.ProfileDir, StartURL: s.StartURL,
		Agent: s.Agent, AgentCommand: s.AgentCommand, AgentArgs: s.AgentArgs, WorkDir: s.WorkDir, ConfineAgents: s.ConfineAgents, EveryTab: s.EveryTab,
		TerminalGraceMinutes: s.TerminalGraceMinutes, FontSize: s.FontSize, Theme: s.Theme, ActivityShots: s.ActivityShots, StartOnLogin: s.StartOnLogin, StartSession: s.StartSession,
		CDPAllow: Methods(s.CDPAllow), CDPAllowAgents: Methods(s.CDPAllowAgents),
		ChatAgent: s.ChatAgent, ChatCommand: s.ChatCommand, ChatSilenceMinutes: s.ChatSilenceMinutes,
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
	return protocol.Settings{
		BrowserPath: f.BrowserPath, ProfileDir: f.ProfileDir, StartURL: f.StartURL,
		Agent: f.Agent, AgentCommand: f.AgentCommand, AgentArgs: f.AgentArgs, WorkDir: f.WorkDir, ConfineAgents: f.ConfineAgents, EveryTab: f.EveryTab,
		TerminalGraceMinutes: f.TerminalGraceMinutes, FontSize: f.FontSize, Theme: f.Theme, ActivityShots: f.ActivityShots, StartOnLogin: f.StartOnLogin, StartSession: f.StartSession,
		CDPAllow: strings.Join(f.CDPAllow, " "), CDPAllowAgents: strings.Join(f.CDPAllowAgents, " "),
		ChatAgent: f.ChatAgent, ChatCommand: f.ChatCommand, ChatSilenceMinutes: f.ChatSilenceMinutes,
		ChatRouting: protocol.ChatRouting{Instant: f.ChatInstant, Strong: some(f.ChatStrongWords), LongText: f.ChatLongText, Models: chosen},
	}
}

// Store holds the settings of this run and keeps them on disk. It is safe for
// concurrent use.
type Store struct {
	path string

	mu       sync.Mutex
	settings protocol.Settings
	// before is the file as a user wrote it, with unknown settings; nil when there is
	// nothing in it to keep.
	before []byte
}

// Open reads the settings. It ignores unknown settings, and leaves the file as it is
// until the next save, which keeps the old file as *.bak. It renames a file that
// cannot be parsed to *.bad, and uses the defaults. In both cases notice says so, and
// what was wrong.
func Open(path string) (store *Store, notice *protocol.Error, err error) {
	s := &Store{path: path, settings: Defaults()}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the settings: %w", err)
	}
	settings, unknown, problem := parse(data)
	if problem == nil {
		s.settings = settings
		if len(unknown) > 0 {
			s.before = data
			notice = unknownSettings(path, unknown)
		}
		return s, notice, nil
	}
	if err := os.Rename(path, path+".bad"); err != nil {
		return nil, nil, fmt.Errorf("putting the damaged settings aside: %w", err)
	}
	return s, protocol.NewError(protocol.CodeBadArgument,
		fmt.Sprintf("The settings could not be read (%v); the defaults are used", problem),
		"your file is kept as "+filepath.Base(path)+".bad"), nil
}

// Read reads a settings file without changing it; if there is none, it returns the
// defaults. notice names unknown settings; err says why the file cannot be parsed.
func Read(path string) (settings protocol.Settings, notice *protocol.Error, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil, nil
	}
	if err != nil {
		return Defaults(), nil, fmt.Errorf("reading the settings: %w", err)
	}
	settings, unknown, err := parse(data)
	if err != nil {
		return Defaults(), nil, err
	}
	if len(unknown) > 0 {
		notice = unknownSettings(path, unknown)
	}
	return settings, notice, nil
}

// parse reads a settings file over the defaults, and returns the names of unknown
// settings.
func parse(data []byte) (settings protocol.Settings, unknown []string, err error) {
	f := fileOf(Defaults())
	decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		strict, ok := errors.AsType[*toml.StrictMissingError](err)
		if !ok {
			return protocol.Settings{}, nil, err
		}
		for _, e := range strict.Errors {
			unknown = append(unknown, strings.Join(e.Key(), "."))
		}
	}
	if f.Version > version {
		return protocol.Settings{}, nil, fmt.Errorf("version %d is of a newer Pilotfish", f.Version)
	}
	settings = f.settings()
	// Paths that are wrong today (a disk that is not mounted) are reported by the
	// code that uses them. Only values that can never be valid are refused here.
	if err := check(settings); err != nil {
		return protocol.Settings{}, nil, err
	}
	return settings, unknown, nil
}

// unknownSettings returns an error that names unknown settings, and suggests what was
// meant.
func unknownSettings(path string, unknown []string) *protocol.Error {
	var known []string
	for field := range reflect.TypeFor[file]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		known = append(known, name)
	}
	slices.Sort(unknown)
	said := make([]string, len(unknown))
	for i, name := range unknown {
		said[i] = fmt.Sprintf("%.60q", name)
		if near := spelling.Nearest(name, known); near != "" {
			said[i] += " (did you mean " + near + "?)"
		}
	}
	return protocol.NewError(protocol.CodeBadArgument,
		fmt.Sprintf("%s has settings that Pilotfish does not know: %s; the other settings are used", filepath.Base(path), strings.Join(said, ", ")),
		"correct the file and start Pilotfish again; it is kept as "+filepath.Base(path)+".bak when settings are saved in the window")
}

// Get returns the settings.
func (s *Store) Get() protocol.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Save checks the settings and writes them. On an error nothing has changed; if one
// setting is wrong, the error is a *FieldError.
func (s *Store) Save(settings protocol.Settings) (protocol.Settings, error) {
	if err := check(settings); err != nil {
		return s.Get(), err
	}
	if err := checkPaths(settings); err != nil {
		return s.Get(), err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(settings, sessionsIn(s.path))
}

// write writes the file. The caller holds s.mu.
func (s *Store) write(settings protocol.Settings, sessions map[string]any) (protocol.Settings, error) {
	out := fileOf(settings)
	out.Sessions = sessions
	data, err := toml.Marshal(out)
	if err != nil {
		return s.settings, fmt.Errorf("encoding the settings: %w", err)
	}
	if s.before != nil {
		if err := journal.WriteFile(s.path+".bak", s.before, 0o600); err != nil {
			return s.settings, notWritable(s.path+".bak", err)
		}
	}
	if err := journal.WriteFile(s.path, data, 0o600); err != nil {
		return s.settings, notWritable(s.path, err)
	}
	s.settings, s.before = settings, nil
	return settings, nil
}

// The range of the font size in pixels, the longest grace in minutes (a week), the
// longest silence in minutes, and the limits of the table of routes.
const (
	minFontSize = 8
	maxFontSize = 32
	maxGrace    = 7 * 24 * 60
	maxSilence  = 240
	maxWords    = 1000
)

// check refuses values that can never be valid.
func check(s protocol.Settings) error {
	switch {
	case s.FontSize < minFontSize || s.FontSize > maxFontSize:
		return wrong("fontSize", fmt.Sprintf("the font size is %d", s.FontSize), fmt.Sprintf("choose %d to %d pixels", minFontSize, maxFontSize))
	case s.TerminalGraceMinutes < 0 || s.TerminalGraceMinutes > maxGrace:
		return wrong("terminalGraceMinutes", fmt.Sprintf("%d minutes is not allowed", s.TerminalGraceMinutes), fmt.Sprintf("choose 0 (keep) to %d", maxGrace))
	case s.Theme != "" && s.Theme != protocol.ThemeSystem && s.Theme != protocol.ThemeLight && s.Theme != protocol.ThemeDark:
		return wrong("theme", fmt.Sprintf("there is no theme %.20q", s.Theme), `choose "system", "light" or "dark"`)
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
	case s.ChatSilenceMinutes < 1 || s.ChatSilenceMinutes > maxSilence:
		return wrong("chatSilenceMinutes", fmt.Sprintf("%d minutes is not allowed", s.ChatSilenceMinutes), fmt.Sprintf("choose 1 to %d", maxSilence))
	case s.ChatRouting.LongText < 0 || len(s.ChatRouting.Strong) > maxWords || len(s.ChatRouting.Models) > maxWords:
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
