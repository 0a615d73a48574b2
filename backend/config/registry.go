package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Registry returns all settings with their groups, in the order in which they are
// shown. It is the only list of settings: the page, the comments of settings.toml, the
// checks of values and docs/reference/settings.md are made from it.
func Registry(path string) protocol.SettingsRegistry {
	r := protocol.SettingsRegistry{File: path, Groups: groups(), Settings: list()}
	defaults := values(Defaults())
	for i := range r.Settings {
		s := &r.Settings[i]
		s.Default = at(defaults, s.Field)
	}
	return r
}

func groups() []protocol.SettingGroup {
	return []protocol.SettingGroup{
		{ID: "look", Title: "Appearance"},
		{ID: "start", Title: "Start"},
		{ID: "browser", Title: "Browser"},
		{ID: "agent", Title: "Agents"},
		{ID: "chat", Title: "Chat"},
		{ID: "terminal", Title: "Terminal"},
		{ID: "activity", Title: "Activity"},
		{ID: "notify", Title: "Notifications elsewhere"},
		{ID: "protocol", Title: "DevTools protocol"},
	}
}

func list() []protocol.Setting {
	limit := func(n int) *int { return &n }
	return []protocol.Setting{
		{
			Name: "theme", Field: "theme", Group: "look", Label: "Theme", Kind: protocol.SettingOneOf,
			Explanation: "The colours of this window and of the panel.",
			Choices:     []protocol.SettingChoice{{Value: "system", Text: "Same as the desktop"}, {Value: "light", Text: "Light"}, {Value: "dark", Text: "Dark"}},
		},
		{
			Name: "text_size", Field: "textSize", Group: "look", Label: "Text size", Kind: protocol.SettingNumber,
			Explanation: "The size of texts in this window and in the panel.",
			Min:         limit(minTextSize), Max: limit(maxTextSize), Unit: "%",
			Choices: []protocol.SettingChoice{{Value: "90", Text: "Small"}, {Value: "100", Text: "Normal"}, {Value: "115", Text: "Large"}, {Value: "130", Text: "Larger"}, {Value: "150", Text: "Largest"}},
		},
		{
			Name: "start_session", Field: "startSession", Group: "start", Label: "Start the session with Pilotfish", Kind: protocol.SettingSwitch,
			Explanation: "Opens the browser of the default session when Pilotfish starts.",
		},
		{
			Name: "start_on_login", Field: "startOnLogin", Group: "start", Label: "Start Pilotfish when you log in", Kind: protocol.SettingSwitch,
			Explanation: "Starts Pilotfish together with the desktop.",
		},
		{
			Name: "browser_path", Field: "browserPath", Group: "browser", Label: "Browser", Kind: protocol.SettingBrowser, AtSessionStart: true,
			Explanation: "The program of Chromium, or of a browser based on it.", Empty: "the first of Chromium, Chrome, Edge and Brave that is found", Example: "/usr/bin/chromium",
		},
		{
			Name: "profile_dir", Field: "profileDir", Group: "browser", Label: "Profile folder", Kind: protocol.SettingFolder, AtSessionStart: true,
			Explanation: "Where the default session keeps logins and history.", Empty: "inside the session’s own folder",
		},
		{
			Name: "start_url", Field: "startUrl", Group: "browser", Label: "Start page", Kind: protocol.SettingAddress, AtSessionStart: true,
			Explanation: "The first page of a session.", Empty: "the welcome page", Example: "https://example.com/",
		},
		{
			Name: "agent", Field: "agent", Group: "agent", Label: "Agent", Kind: protocol.SettingAgent,
			Explanation: "What runs in each new terminal. Automatic is Claude Code if it is installed, else your shell.",
		},
		{
			Name: "agent_command", Field: "agentCommand", Group: "agent", Label: "Command", Kind: protocol.SettingCommand,
			Explanation: "The command line of the agent \"custom\": a program and its arguments, as in a shell.", Example: "my-agent --fast",
			Empty: "none", When: &protocol.SettingCondition{Field: "agent", Is: string(protocol.AgentCustom)},
		},
		{
			Name: "agent_args", Field: "agentArgs", Group: "agent", Label: "Arguments", Kind: protocol.SettingCommand,
			Explanation: "Further arguments of the agent, as in a shell.",
			Empty:       "none", When: &protocol.SettingCondition{Field: "agent", Not: string(protocol.AgentCustom)},
		},
		{
			Name: "work_dir", Field: "workDir", Group: "agent", Label: "Working folder", Kind: protocol.SettingFolder,
			Explanation: "New terminals and agents start in this folder.", Empty: "a folder of the session’s own",
		},
		{
			Name: "confine_agents", Field: "confineAgents", Group: "agent", Label: "Confine agents", Kind: protocol.SettingSwitch,
			Explanation: "Agents in Terminal and Chat cannot see Pilotfish’s own files and processes, other programs or your desktop. It takes effect when an agent is started.",
		},
		{
			Name: "every_tab", Field: "everyTab", Group: "agent", Label: "Start an agent in every tab", Kind: protocol.SettingSwitch,
			Explanation: "Starts one in each tab you open the panel for, not only in the first.",
		},
		{
			Name: "chat_agent", Field: "chatAgent", Group: "chat", Label: "Answered by", Kind: protocol.SettingChatAgent,
			Explanation: "Who answers in a new conversation. Automatic is the first agent that is installed, else Pilot, which needs no account.",
		},
		{
			Name: "chat_command", Field: "chatCommand", Group: "chat", Label: "Command", Kind: protocol.SettingCommand,
			Explanation: "The command line of the agent \"custom\" in a conversation: a program that speaks the Agent Client Protocol.", Example: "my-agent --acp",
			Empty: "none", When: &protocol.SettingCondition{Field: "chatAgent", Is: string(protocol.AgentCustom)},
		},
		{
			Name: "chat_instant", Field: "chatRouting.instant", Group: "chat", Label: "Instant commands", Kind: protocol.SettingSwitch,
			Explanation: "Pilot runs simple commands such as “click Save” immediately, whichever agent answers.",
		},
		{
			Name: "chat_strong_words", Field: "chatRouting.strong", Group: "chat", Label: "Words that select the model for hard questions", Kind: protocol.SettingWords,
			Explanation: "Messages with one of these words go to the model for hard questions; “…” matches anything.", Empty: "the built-in words: what, why, how, summarise and others",
		},
		{
			Name: "chat_long_text", Field: "chatRouting.longText", Group: "chat", Label: "Long messages", Kind: protocol.SettingNumber,
			Explanation: "Messages with this many characters go to the model for hard questions; 0 for never.", Min: limit(0), Max: limit(maxLongText), Unit: "characters",
		},
		{
			Name: "chat_models", Field: "chatRouting.models", Group: "chat", Label: "Models of agents", Kind: protocol.SettingModels,
			Explanation: "For each agent a part of the name of its fast model, and of its model for hard questions.", Empty: "the conversation’s own model",
		},
		{
			Name: "chat_silence_minutes", Field: "chatSilenceMinutes", Group: "chat", Label: "Time without output", Kind: protocol.SettingNumber,
			Explanation: "When an agent has written nothing for this long, Chat offers to stop waiting for it.", Min: limit(1), Max: limit(maxSilence), Unit: "minutes",
		},
		{
			Name: "font_size", Field: "fontSize", Group: "terminal", Label: "Font size", Kind: protocol.SettingNumber,
			Explanation: "The terminal's font size.", Min: limit(minFontSize), Max: limit(maxFontSize), Unit: "pixels",
		},
		{
			Name: "terminal_grace_minutes", Field: "terminalGraceMinutes", Group: "terminal", Label: "Keep closed terminals running", Kind: protocol.SettingNumber,
			Explanation: "How long a terminal keeps running while no panel shows it. In the settings file, 0 means until the session stops.", Min: limit(0), Max: limit(maxGrace), Unit: "minutes",
			Choices: []protocol.SettingChoice{{Value: "5", Text: "5 minutes"}, {Value: "15", Text: "15 minutes"}, {Value: "30", Text: "30 minutes"}, {Value: "60", Text: "1 hour"}, {Value: "240", Text: "4 hours"}, {Value: "0", Text: "Until the session stops"}},
		},
		{
			Name: "terminal_notifications", Field: "terminalNotices", Group: "terminal", Label: "Notifications of terminals", Kind: protocol.SettingSwitch,
			Explanation: "The desktop tells you when a terminal that you do not look at rings its bell or needs you.",
		},
		{
			Name: "activity_shots", Field: "activityShots", Group: "activity", Label: "Screenshots of what was done", Kind: protocol.SettingSwitch,
			Explanation: "Keeps a small screenshot of the page after each command that acts, with secret fields covered. The oldest are removed.",
		},
		{
			Name: "notify_url", Field: "notifyUrl", Group: "notify", Label: "Webhook", Kind: protocol.SettingAddress,
			Explanation: "When something needs you, who and what it is, with the site’s host, is posted as JSON to this address of ntfy, Slack or another receiver.", Empty: "nothing is posted", Example: "https://ntfy.sh/TOPIC?tpl=1&m={{.text}}",
		},
		{
			Name: "cdp_allow", Field: "cdpAllow", Group: "protocol", Label: "Allowed for you", Kind: protocol.SettingText,
			Explanation: "Methods of the DevTools protocol that “pilotfish cdp” may send for you, in addition to read-only methods.", Example: "Page.captureScreenshot", Empty: "read-only methods",
		},
		{
			Name: "cdp_allow_agents", Field: "cdpAllowAgents", Group: "protocol", Label: "Allowed for agents", Kind: protocol.SettingText,
			Explanation: "The same for agents. You are asked each time, unless a site’s rule for \"sensitive\" says otherwise.", Example: "Page.captureScreenshot", Empty: "read-only methods",
		},
	}
}

// values returns settings as the JSON that the page has.
func values(s protocol.Settings) map[string]any {
	var out map[string]any
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // a struct of texts, numbers and lists always has JSON
	}
	return out
}

// at returns the value at a setting's Field.
func at(values map[string]any, field string) any {
	first, rest, nested := strings.Cut(field, ".")
	if !nested {
		return values[first]
	}
	inner, _ := values[first].(map[string]any)
	return at(inner, rest)
}

// Allowed says in words which values a setting can have.
func Allowed(s protocol.Setting) string {
	switch s.Kind {
	case protocol.SettingSwitch:
		return "true or false"
	case protocol.SettingNumber:
		return fmt.Sprintf("a whole number from %d to %d", *s.Min, *s.Max)
	case protocol.SettingOneOf:
		quoted := make([]string, len(s.Choices))
		for i, c := range s.Choices {
			quoted[i] = fmt.Sprintf("%q", c.Value)
		}
		return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
	case protocol.SettingAgent:
		return `"auto", "claude", "shell", "codex" or another agent, or "custom"`
	case protocol.SettingChatAgent:
		return `"auto", "pilot", "claude", "gemini" or another agent, or "custom"`
	case protocol.SettingWords:
		return `a list of texts, such as ["why", "how"]`
	case protocol.SettingModels:
		return `a table for each agent: [chat_models.claude] with fast = "…" and strong = "…"`
	case protocol.SettingFolder, protocol.SettingBrowser:
		return `an absolute path in quotes, or ""`
	case protocol.SettingAddress:
		if s.Name == "notify_url" {
			return NotifyAllowed
		}
		return `the full address of a page in quotes, such as "https://example.com/", or ""`
	}
	if strings.HasPrefix(s.Name, "cdp_") {
		return `a list of methods, such as ["Page.captureScreenshot"]`
	}
	return "a text in quotes"
}

// checkRegistry refuses numbers outside of their limits and choices that there are not.
func checkRegistry(s protocol.Settings) error {
	all := values(s)
	for _, setting := range list() {
		field, _, _ := strings.Cut(setting.Field, ".")
		switch value := at(all, setting.Field).(type) {
		case float64:
			if setting.Min != nil && (value < float64(*setting.Min) || value > float64(*setting.Max)) {
				return wrong(field, fmt.Sprintf("%s cannot be %v", setting.Name, value), strings.TrimSpace(fmt.Sprintf("choose %d to %d %s", *setting.Min, *setting.Max, setting.Unit)))
			}
		case string:
			known := slices.ContainsFunc(setting.Choices, func(c protocol.SettingChoice) bool { return c.Value == value })
			if setting.Kind == protocol.SettingOneOf && value != "" && !known {
				return wrong(field, fmt.Sprintf("%s cannot be %.20q", setting.Name, value), "choose "+Allowed(setting))
			}
		}
	}
	return nil
}

// comment returns what the settings file says above a setting.
func comment(s protocol.Setting) string {
	said := []string{s.Explanation}
	switch s.Kind {
	case protocol.SettingNumber, protocol.SettingOneOf, protocol.SettingAgent, protocol.SettingChatAgent:
		allowed := strings.TrimSpace(Allowed(s) + " " + s.Unit)
		said = append(said, strings.ToUpper(allowed[:1])+allowed[1:]+".")
	}
	if s.Empty != "" {
		said = append(said, "Empty: "+s.Empty+".")
	}
	if s.Example != "" {
		said = append(said, "Example: "+s.Example)
	}
	return "# " + strings.Join(said, " ")
}

// explained puts the comments of the registry above the settings of a file.
func explained(text []byte) []byte {
	comments := map[string]string{"sessions": "# Identity and network of sessions: [sessions.work] with proxy = \"socks5://localhost:1080\", languages = [\"de-DE\", \"en\"], …; see the documentation.", "version": "# Settings of Pilotfish. They count as soon as the file is saved; the app's window writes this file, too.\n# The version of this file; leave it."}
	for _, s := range list() {
		comments[s.Name] = comment(s)
	}
	var out strings.Builder
	said := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, _, key := strings.Cut(line, " = ")
		if table := strings.TrimSpace(line); strings.HasPrefix(table, "[") {
			name, _, _ = strings.Cut(strings.Trim(table, "[]"), ".")
			key = true
		}
		if c := comments[name]; key && c != "" && !said[name] {
			said[name] = true
			if name == "version" {
				out.WriteString(c + "\n")
			} else {
				out.WriteString("\n" + c + "\n")
			}
		}
		out.WriteString(line)
	}
	return []byte(out.String())
}
