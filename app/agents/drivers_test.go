//go:build agents

package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/chat/acp"
	stream "pilotfish/backend/chat/claude"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// driven is a real agent that one of our drivers runs.
type driven struct {
	t      *testing.T // the running test
	name   string
	driver driver.Driver
	launch driver.Launch
	// shell makes the model's call of the agent's own tool for shell commands.
	shell func(command string) model.Call
	// read, edit and plan make the model's calls of the agent's tools that read a
	// file, replace a text in a file, and write a plan. plan is nil for an agent
	// without plans (Goose), or one that does not report them (Gemini CLI 0.61).
	read func(path string) model.Call
	edit func(path, before, after string) model.Call
	plan func(first, second string) model.Call
	// hidden is a file that only a program without confinement sees.
	hidden string
	// quick is a model that is not the agent's default; empty for an agent that
	// has only one model here.
	quick string
	// silent is true when its API has no thoughts, or the agent does not forward
	// them.
	silent bool
	// forgets is true for an agent that announces that it loads sessions, but
	// usually does not find its own. Gemini CLI 0.61 does that with every client.
	forgets bool
}

// drivenAgents returns the real agents, each with its own home.
func drivenAgents(t *testing.T, m *model.Model) []driven {
	t.Helper()
	home := t.TempDir()
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, "claude"),
		"ANTHROPIC_BASE_URL=" + m.URL(), "ANTHROPIC_API_KEY=" + model.Key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	bash := func(command string) model.Call {
		return model.Call{Name: "Bash", Input: map[string]any{"command": command, "description": "Run it"}}
	}
	claudes := driven{
		read: func(path string) model.Call {
			return model.Call{Name: "Read", Input: map[string]any{"file_path": path}}
		},
		edit: func(path, before, after string) model.Call {
			return model.Call{Name: "Edit", Input: map[string]any{"file_path": path, "old_string": before, "new_string": after}}
		},
		plan: func(first, second string) model.Call {
			return model.Call{Name: "TodoWrite", Input: map[string]any{"todos": []any{
				map[string]any{"content": first, "status": "in_progress", "activeForm": "Doing it"},
				map[string]any{"content": second, "status": "pending", "activeForm": "Doing it"},
			}}}
		},
	}
	bin := func(name string) string { return tool(t, "build", "agents", "node_modules", ".bin", name) }
	// Gemini reads the sign-in method from its settings.
	gemini := filepath.Join(home, ".gemini")
	if err := os.MkdirAll(gemini, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(gemini, "settings.json"), []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}},"model":{"name":"gemini-2.5-pro"},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	kimi := filepath.Join(home, "kimi")
	if err := os.MkdirAll(kimi, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kimi, "config.toml"), []byte(kimiConfig(m.URL())), 0o600); err != nil {
		t.Fatal(err)
	}
	logged := func(line string) { t.Log("stderr:", line) }
	all := []driven{
		{
			name: "claude", driver: stream.New(stream.Config{}), shell: bash, quick: "haiku",
			read: claudes.read, edit: claudes.edit, plan: claudes.plan,
			launch: driver.Launch{Kind: protocol.AgentClaude, Name: "Claude", Path: bin("claude"), Env: env, Stderr: logged},
		},
		{
			name: "claude-agent-acp", driver: acp.New(acp.Config{Version: "test"}), shell: bash, quick: "haiku",
			read: claudes.read, edit: claudes.edit, plan: claudes.plan,
			launch: driver.Launch{Kind: protocol.AgentClaude, Name: "Claude", Path: bin("claude-agent-acp"), Env: env, Stderr: logged},
		},
		{
			name: "gemini", driver: acp.New(acp.Config{Version: "test"}), quick: "gemini-3-flash-preview", forgets: true,
			shell: func(command string) model.Call {
				return model.Call{Name: "run_shell_command", Input: map[string]any{"command": command, "description": "Run it"}}
			},
			read: func(path string) model.Call {
				return model.Call{Name: "read_file", Input: map[string]any{"file_path": path}}
			},
			edit: func(path, before, after string) model.Call {
				return model.Call{Name: "replace", Input: map[string]any{"file_path": path, "old_string": before, "new_string": after, "instruction": "Try more often"}}
			},
			launch: driver.Launch{
				Kind: "gemini", Name: "Gemini CLI", Path: bin("gemini"), Args: []string{"--acp"}, Stderr: logged,
				Env: append(slices.Clone(env), "GOOGLE_GEMINI_BASE_URL="+m.URL(), "GEMINI_API_KEY="+model.Key, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"),
			},
		},
		{
			name: "opencode", driver: acp.New(acp.Config{Version: "test"}), quick: "test/quick", silent: true,
			shell: func(command string) model.Call {
				return model.Call{Name: "bash", Input: map[string]any{"command": command, "description": "Run it"}}
			},
			read: func(path string) model.Call { return model.Call{Name: "read", Input: map[string]any{"filePath": path}} },
			edit: func(path, before, after string) model.Call {
				return model.Call{Name: "edit", Input: map[string]any{"filePath": path, "oldString": before, "newString": after}}
			},
			plan: func(first, second string) model.Call {
				return model.Call{Name: "todowrite", Input: map[string]any{"todos": []any{
					map[string]any{"id": "1", "content": first, "status": "in_progress", "priority": "high"},
					map[string]any{"id": "2", "content": second, "status": "pending", "priority": "high"},
				}}}
			},
			launch: driver.Launch{
				Kind: "opencode", Name: "OpenCode", Path: bin("opencode"), Args: []string{"acp"}, Stderr: logged,
				Env: append(slices.Clone(env), "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_CONFIG_CONTENT="+openCodeConfig(m.URL())),
			},
		},
		{
			name: "qwen", driver: acp.New(acp.Config{Version: "test"}), silent: true,
			shell: func(command string) model.Call {
				return model.Call{Name: "run_shell_command", Input: map[string]any{"command": command, "description": "Run it", "is_background": false}}
			},
			read: func(path string) model.Call {
				return model.Call{Name: "read_file", Input: map[string]any{"file_path": path}}
			},
			edit: func(path, before, after string) model.Call {
				return model.Call{Name: "edit", Input: map[string]any{"file_path": path, "old_string": before, "new_string": after}}
			},
			plan: func(first, second string) model.Call {
				return model.Call{Name: "todo_write", Input: map[string]any{"todos": []any{
					map[string]any{"id": "1", "content": first, "status": "in_progress"}, map[string]any{"id": "2", "content": second, "status": "pending"},
				}}}
			},
			launch: driver.Launch{
				Kind: "qwen", Name: "Qwen Code", Path: bin("qwen"), Args: []string{"--acp"}, Stderr: logged,
				Env: append(slices.Clone(env), "OPENAI_BASE_URL="+m.URL()+"/v1", "OPENAI_API_KEY="+model.Key, "OPENAI_MODEL=strong"),
			},
		},
		{
			name: "kimi", driver: acp.New(acp.Config{Version: "test"}), quick: "quick", silent: true,
			shell: func(command string) model.Call {
				return model.Call{Name: "Bash", Input: map[string]any{"command": command, "description": "Run it"}}
			},
			read: func(path string) model.Call { return model.Call{Name: "Read", Input: map[string]any{"path": path}} },
			edit: func(path, before, after string) model.Call {
				return model.Call{Name: "Edit", Input: map[string]any{"path": path, "old_string": before, "new_string": after}}
			},
			plan: func(first, second string) model.Call {
				return model.Call{Name: "TodoList", Input: map[string]any{"todos": []any{
					map[string]any{"title": first, "status": "in_progress"}, map[string]any{"title": second, "status": "pending"},
				}}}
			},
			launch: driver.Launch{
				Kind: "kimi", Name: "Kimi Code", Path: bin("node"), Args: []string{bin("kimi"), "acp"}, Stderr: logged,
				Env: append(slices.Clone(env), "KIMI_CODE_HOME="+kimi),
			},
		},
		{
			name: "goose", driver: acp.New(acp.Config{Version: "test"}), silent: true,
			shell: func(command string) model.Call {
				return model.Call{Name: "shell", Input: map[string]any{"command": command}}
			},
			read: func(path string) model.Call {
				return model.Call{Name: "shell", Input: map[string]any{"command": "cat " + path}}
			},
			edit: func(path, before, after string) model.Call {
				return model.Call{Name: "edit", Input: map[string]any{"path": path, "before": before, "after": after}}
			},
			launch: driver.Launch{
				Kind: "goose", Name: "Goose", Path: bin("goose-binary-linux-x64"), Args: []string{"acp"}, Stderr: logged,
				Env: append(slices.Clone(env), "GOOSE_PROVIDER=openai", "GOOSE_MODEL=strong", "GOOSE_MODE=approve", "GOOSE_DISABLE_KEYRING=1",
					"OPENAI_HOST="+m.URL(), "OPENAI_API_KEY="+model.Key),
			},
		},
	}
	// They run confined, as in the product.
	secrets := t.TempDir()
	if err := os.WriteFile(filepath.Join(secrets, "token"), []byte("topsecret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := confine.Try(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].hidden = filepath.Join(secrets, "token")
		all[i].launch.Confine = &confine.Folders{Hidden: []string{secrets}}
	}
	return all
}

// kimiConfig returns a configuration of Kimi Code with our fake model in two
// sizes.
func kimiConfig(url string) string {
	return fmt.Sprintf(`default_model = "strong"
default_permission_mode = "manual"
telemetry = false
[providers.test]
type = "openai"
base_url = "%s/v1"
api_key = "%s"
[models.strong]
provider = "test"
model = "strong"
max_context_size = 100000
capabilities = ["image_in", "tool_use"]
[models.quick]
provider = "test"
model = "quick"
max_context_size = 100000
capabilities = ["image_in", "tool_use"]
`, url, model.Key)
}

// openCodeConfig returns a configuration of OpenCode with our fake model in two
// sizes, which asks for permissions.
func openCodeConfig(url string) string {
	one := map[string]any{"name": "Test", "tool_call": true, "attachment": true, "limit": map[string]int{"context": 100_000, "output": 8_000}}
	data, err := json.Marshal(map[string]any{
		"provider": map[string]any{"test": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Test",
			"options": map[string]string{"baseURL": url + "/v1", "apiKey": model.Key},
			"models":  map[string]any{"strong": one, "quick": one},
		}},
		"model": "test/strong", "small_model": "test/quick", "share": "disabled",
		"permission": map[string]string{"bash": "ask", "edit": "ask"},
	})
	if err != nil {
		panic(err) // marshalling constants cannot fail
	}
	return string(data)
}

// each runs a test with every real agent.
func each(t *testing.T, script func(d *driven) model.Script, test func(d driven, m *model.Model)) {
	t.Helper()
	for i := range drivenAgentCount {
		var d driven
		m := model.New(func(r model.Request) model.Reply { return script(&d)(r) })
		d = drivenAgents(t, m)[i]
		t.Run(d.name, func(t *testing.T) {
			defer m.Close()
			d.t = t
			test(d, m)
		})
	}
}

const drivenAgentCount = 7

// startAgent starts the agent's process, which ends with the test.
func (d driven) startAgent(t *testing.T) driver.Agent {
	t.Helper()
	d.launch.Dir = t.TempDir()
	a, err := d.driver.Start(context.WithoutCancel(t.Context()), d.launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return a
}

func timed(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// chatSink is a sink that records events and answers questions.
type chatSink struct {
	answer  protocol.ApprovalAnswer // "" to answer nothing
	changed chan struct{}

	mu      sync.Mutex
	text    strings.Builder
	thought strings.Builder
	tools   map[string]driver.ToolUpdate // merged from all updates
	asks    []driver.Ask
	options []protocol.ChatOption
	usage   *protocol.ChatUsage
	plan    []protocol.ChatPlanItem
	command []protocol.ChatCommand
	title   string
	notices []string
}

func newConversation(answer protocol.ApprovalAnswer) *chatSink {
	return &chatSink{answer: answer, changed: make(chan struct{}, 1), tools: map[string]driver.ToolUpdate{}}
}

func (k *chatSink) Update(u driver.Update) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case u.Text != nil:
		k.text.WriteString(u.Text.Text)
	case u.Thought != nil:
		k.thought.WriteString(u.Thought.Text)
	case u.Options != nil:
		k.options = u.Options
	case u.Usage != nil:
		k.usage = u.Usage
	case u.Plan != nil:
		k.plan = u.Plan
	case u.Commands != nil:
		k.command = u.Commands
	case u.Title != nil:
		k.title = *u.Title
	case u.Notice != nil:
		k.notices = append(k.notices, *u.Notice)
	case u.Tool != nil:
		k.fold(*u.Tool)
	}
	k.signal()
}

// fold merges an update of a tool call, as a conversation does.
func (k *chatSink) fold(now driver.ToolUpdate) {
	was := k.tools[now.Call]
	if now.Title == nil {
		now.Title = was.Title
	}
	if now.Status == nil {
		now.Status = was.Status
	}
	if now.Content == nil {
		now.Content = was.Content
	}
	if now.Input == nil {
		now.Input = was.Input
	}
	diff := func(c protocol.ToolContent) bool { return c.Kind == protocol.ContentDiff }
	if !slices.ContainsFunc(now.Content, diff) {
		now.Content = append(slices.DeleteFunc(slices.Clone(was.Content), func(c protocol.ToolContent) bool { return !diff(c) }), now.Content...)
	}
	k.tools[now.Call] = now
}

func (k *chatSink) Ask(_ context.Context, ask driver.Ask, answer func(string)) {
	k.mu.Lock()
	k.fold(ask.Tool)
	ask.Tool = k.tools[ask.Tool.Call] // as the user sees it
	k.asks = append(k.asks, ask)
	k.signal()
	k.mu.Unlock()
	for _, o := range ask.Options {
		if o.Kind == k.answer {
			answer(o.ID)
			return
		}
	}
}

func (k *chatSink) signal() {
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// until waits until the sink satisfies is.
func (k *chatSink) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx := timed(t)
	for {
		k.mu.Lock()
		done := is()
		k.mu.Unlock()
		if done {
			return
		}
		select {
		case <-k.changed:
		case <-ctx.Done():
			t.Fatalf("%s did not come; the text is %q, the tools are %+v", what, k.text.String(), k.tools)
		}
	}
}

func TestDriversStreamATurn(t *testing.T) {
	script := func(*driven) model.Script {
		return model.Steps(model.Reply{Thinking: "Let me see.", Text: "Grüße from the model, in more than one piece."})
	}
	each(t, script, func(d driven, m *model.Model) {
		t := d.t
		k := newConversation("")
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir(), System: "The tab is t7."}, k)
		if err != nil {
			t.Fatal(err)
		}
		end, err := s.Prompt(timed(t), driver.Prompt{Text: "Say hello."})
		if err != nil || end.Reason != protocol.EndDone {
			t.Fatalf("%+v, %v", end, err)
		}
		if k.text.String() != "Grüße from the model, in more than one piece." {
			t.Errorf("the text is %q", k.text.String())
		}
		// Gemini puts a heading before a thought.
		if !d.silent && !strings.HasSuffix(k.thought.String(), "Let me see.") {
			t.Errorf("the thought is %q", k.thought.String())
		}
		// Kimi reports how full its context is, but not the usage of a turn.
		if end.Usage == nil || end.Usage.Input == 0 || end.Usage.Output == 0 {
			k.until(t, "how full its memory is", func() bool { return k.usage != nil && k.usage.Context > 0 })
		}
		if len(k.options) == 0 {
			t.Error("no options")
		}
		last := m.Requests()[len(m.Requests())-1]
		// The prompt is the system prompt, or comes before the first message.
		if !strings.Contains(string(last.Raw), "The tab is t7.") {
			t.Error("the model was not told our system prompt")
		}
		if !s.Abilities().Images || !s.Abilities().Resume {
			t.Errorf("%+v", s.Abilities())
		}
	})
}

func TestDriversAskBeforeATool(t *testing.T) {
	for _, answer := range []protocol.ApprovalAnswer{protocol.AnswerOnce, protocol.AnswerDeny} {
		file := filepath.Join(t.TempDir(), "made")
		script := func(d *driven) model.Script {
			return func(r model.Request) model.Reply {
				if len(r.Messages) > 0 && len(r.Messages[len(r.Messages)-1].Results) > 0 {
					return model.Reply{Text: "That was it."}
				}
				if len(r.Tools) == 0 {
					return model.Reply{Text: "A title"}
				}
				return model.Reply{Text: "Running it.", Calls: []model.Call{d.shell("echo made >> " + file + " && echo it is made")}}
			}
		}
		t.Run(string(answer), func(t *testing.T) {
			each(t, script, func(d driven, _ *model.Model) {
				t := d.t
				_ = os.Remove(file) // written by the agent before
				k := newConversation(answer)
				s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, k)
				if err != nil {
					t.Fatal(err)
				}
				end, err := s.Prompt(timed(t), driver.Prompt{Text: "Make it."})
				if err != nil {
					t.Fatalf("%+v, %v", end, err)
				}
				if len(k.asks) != 1 || !inFull(k.asks[0].Tool, "echo made >> "+file+" && echo it is made") {
					t.Fatalf("asked %+v", k.asks)
				}
				_, err = os.Stat(file)
				if made := err == nil; made != (answer == protocol.AnswerOnce) {
					t.Errorf("the command ran: %v", made)
				}
				tool, ok := k.tools[k.asks[0].Tool.Call]
				if answer == protocol.AnswerDeny && ok && *tool.Status == protocol.ToolPending {
					return // Gemini and Qwen send nothing more about a denied call
				}
				if !ok || tool.Status == nil {
					t.Fatalf("the call is not among %+v", k.tools)
				}
				want := protocol.ToolDone
				if answer == protocol.AnswerDeny {
					want = protocol.ToolFailed
				}
				if *tool.Status != want || !strings.Contains(*tool.Title, "echo made") {
					t.Errorf("the call is %s, %q, with %+v", *tool.Status, *tool.Title, tool.Content)
				}
			})
		})
	}
}

// A command of a real agent runs confined: it sees neither what is hidden nor a process
// of ours, and works in its folder, in /tmp and with the network of this machine.
func TestDriversRunConfined(t *testing.T) {
	script := func(d *driven) model.Script {
		return func(r model.Request) model.Reply {
			if len(r.Messages) > 0 && len(r.Messages[len(r.Messages)-1].Results) > 0 {
				return model.Reply{Text: "That was it."}
			}
			if len(r.Tools) == 0 {
				return model.Reply{Text: "A title"}
			}
			command := fmt.Sprintf(`cat %s; echo "confined=$PILOTFISH_CONFINED"; cat /proc/%d/comm && echo pid''found; echo made >made.txt && echo also >/tmp/$$ && rm /tmp/$$ && echo works`, d.hidden, os.Getpid())
			return model.Reply{Text: "Running it.", Calls: []model.Call{d.shell(command)}}
		}
	}
	each(t, script, func(d driven, m *model.Model) {
		t := d.t
		k := newConversation(protocol.AnswerOnce)
		dir := t.TempDir()
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: dir}, k)
		if err != nil {
			t.Fatal(err)
		}
		if end, err := s.Prompt(timed(t), driver.Prompt{Text: "Look around."}); err != nil {
			t.Fatalf("%+v, %v", end, err)
		}
		said := ""
		for _, r := range m.Requests() {
			if n := len(r.Messages); n > 0 && len(r.Messages[n-1].Results) > 0 {
				said = result(r)
			}
		}
		if strings.Contains(said, "topsecret") || strings.Contains(said, "pidfound") {
			t.Errorf("its command sees %q", said)
		}
		if !strings.Contains(said, "confined=1") || !strings.Contains(said, "works") {
			t.Errorf("its command does not work: %q", said)
		}
	})
}

// inFull reports whether the user is shown a complete command.
func inFull(tool driver.ToolUpdate, command string) bool {
	var input map[string]any
	_ = json.Unmarshal(tool.Input, &input) // some agents put it only into the title
	for _, value := range input {
		if value == command {
			return true
		}
	}
	return tool.Title != nil && strings.Contains(*tool.Title, command)
}

func TestDriversCancel(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	script := func(*driven) model.Script {
		return func(r model.Request) model.Reply {
			raw := r.Messages[len(r.Messages)-1].Text
			if strings.Contains(raw, "Go on.") {
				return model.Reply{Text: "Gone on."}
			}
			return model.Reply{Text: "It begins ", Hold: hold}
		}
	}
	each(t, script, func(d driven, _ *model.Model) {
		t := d.t
		k := newConversation("")
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, k)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan driver.TurnEnd, 1)
		go func() {
			end, err := s.Prompt(timed(t), driver.Prompt{Text: "Begin."})
			if err != nil {
				t.Error(err)
			}
			ended <- end
		}()
		k.until(t, "the beginning", func() bool { return strings.Contains(k.text.String(), "It begins") })
		if err := s.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end := <-ended; end.Reason != protocol.EndCancelled {
			t.Errorf("ended with %s", end.Reason)
		}
		if end, err := s.Prompt(timed(t), driver.Prompt{Text: "Go on."}); err != nil || end.Reason != protocol.EndDone {
			t.Errorf("%+v, %v", end, err)
		}
		if !strings.HasSuffix(k.text.String(), "Gone on.") {
			t.Errorf("%q", k.text.String())
		}
	})
}

// A session continues in another process, without repeating its history.
func TestDriversResume(t *testing.T) {
	script := func(*driven) model.Script { return model.Steps(model.Reply{Text: "Noted."}) }
	each(t, script, func(d driven, m *model.Model) {
		t := d.t
		dir := t.TempDir()
		first := d.startAgent(t)
		s, err := first.Open(timed(t), driver.SessionConfig{Dir: dir}, newConversation(""))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(timed(t), driver.Prompt{Text: "The word is tangerine."}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Close(timed(t)), first.Close(timed(t))); err != nil {
			t.Fatal(err)
		}
		k := newConversation("")
		again, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: dir, Resume: s.ID()}, k)
		if d.forgets && errors.Is(err, driver.ErrNoResume) {
			return // the conversation receives this error, and gives the agent the history as context
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Prompt(timed(t), driver.Prompt{Text: "Which word?"}); err != nil {
			t.Fatal(err)
		}
		if k.text.String() != "Noted." {
			t.Errorf("the history is said again: %q", k.text.String())
		}
		if last := m.Requests()[len(m.Requests())-1]; !strings.Contains(string(last.Raw), "tangerine") || !strings.Contains(string(last.Raw), "Noted.") {
			t.Errorf("the model was not told what was said before: %s", last.Raw)
		}
		_, err = d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: dir, Resume: "0b7c9a2e-0000-4000-8000-000000000000"}, newConversation(""))
		if !errors.Is(err, driver.ErrNoResume) {
			t.Errorf("a session that is not there: %v, want ErrNoResume", err)
		}
	})
}

// Choose a model for one turn, and one permanently.
func TestDriversChooseTheModel(t *testing.T) {
	script := func(*driven) model.Script { return model.Steps(model.Reply{Text: "Yes."}) }
	each(t, script, func(d driven, m *model.Model) {
		t := d.t
		if d.quick == "" {
			t.Skip("it has one model")
		}
		k := newConversation("")
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, k)
		if err != nil {
			t.Fatal(err)
		}
		k.until(t, "the options", func() bool { return len(k.options) > 0 })
		ran := func(name string) string {
			t.Helper()
			if _, err := s.Prompt(timed(t), driver.Prompt{Text: "Which one are you?", Model: name}); err != nil {
				t.Fatal(err)
			}
			requests := m.Requests()
			for i := len(requests) - 1; i >= 0; i-- {
				if len(requests[i].Tools) > 0 {
					return requests[i].Model
				}
			}
			return ""
		}
		usual := ran("")
		name := path.Base(d.quick) // without OpenCode's provider prefix
		if quick := ran(d.quick); !strings.Contains(quick, name) || quick == usual {
			t.Errorf("the turn ran with %s, usually %s", quick, usual)
		}
		if after := ran(""); after != usual {
			t.Errorf("the next turn ran with %s, want %s", after, usual)
		}
		if err := s.SetOption(timed(t), "model", d.quick); err != nil {
			t.Fatal(err)
		}
		if chosen := ran(""); !strings.Contains(chosen, name) {
			t.Errorf("the chosen model is %s, the turn ran with %s", d.quick, chosen)
		}
	})
}

// A message sent during a turn reaches the model in that turn.
func TestClaudeIsSteered(t *testing.T) {
	m := model.New(func(r model.Request) model.Reply {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case len(r.Tools) == 0:
			return model.Reply{Text: "A title"}
		case strings.Contains(string(r.Raw), "Use the blue one."):
			return model.Reply{Text: "Blue it is."}
		case len(last.Results) > 0:
			return model.Reply{Text: "Not told."}
		}
		return model.Reply{Calls: []model.Call{{Name: "Bash", Input: map[string]any{"command": "touch made", "description": "Make it"}}}}
	})
	defer m.Close()
	d := drivenAgents(t, m)[0]
	k := newConversation("") // it answers nothing itself
	asked := make(chan func(string), 1)
	sink := &steered{chatSink: k, asked: asked}
	s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, sink)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Prompt(timed(t), driver.Prompt{Text: "Make one."})
		ended <- err
	}()
	answer := <-asked
	if err := s.Steer(timed(t), driver.Prompt{Text: "Use the blue one."}); err != nil {
		t.Fatal(err)
	}
	answer("once")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if k.text.String() != "Blue it is." {
		t.Errorf("%q", k.text.String())
	}
}

// steered passes questions to the test.
type steered struct {
	*chatSink
	asked chan func(string)
}

func (s *steered) Ask(_ context.Context, _ driver.Ask, answer func(string)) { s.asked <- answer }

// When an agent is killed in a turn, the turn ends with the reason.
func TestDriversNoticeTheEnd(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	script := func(*driven) model.Script {
		return func(model.Request) model.Reply { return model.Reply{Text: "It begins ", Hold: hold} }
	}
	each(t, script, func(d driven, _ *model.Model) {
		t := d.t
		k := newConversation("")
		a := d.startAgent(t)
		s, err := a.Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, k)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan driver.TurnEnd, 1)
		go func() {
			end, _ := s.Prompt(timed(t), driver.Prompt{Text: "Begin."})
			ended <- end
		}()
		k.until(t, "the beginning", func() bool { return strings.Contains(k.text.String(), "It begins") })
		began := time.Now()
		if err := a.Close(timed(t)); err != nil {
			t.Fatal(err)
		}
		if end := <-ended; end.Reason != protocol.EndCrashed {
			t.Errorf("ended with %s", end.Reason)
		}
		t.Log("closed in", time.Since(began).Round(time.Millisecond))
	})
}

// Agents for which no model is available here report how a user signs in.
func TestAgentsAskForSignIn(t *testing.T) {
	for name, args := range map[string][]string{"codex-acp": nil, "copilot": {"--acp"}} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			d := driven{driver: acp.New(acp.Config{Version: "test"}), launch: driver.Launch{
				Kind: "test", Name: name, Path: tool(t, "build", "agents", "node_modules", ".bin", name), Args: args,
				Env:    []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
				Stderr: func(line string) { t.Log("stderr:", line) },
			}}
			_, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir()}, newConversation(""))
			needs, ok := errors.AsType[*driver.NeedsSignIn](err)
			if !ok || len(needs.Methods) == 0 || needs.Methods[0].Name == "" {
				t.Fatalf("%v: %+v", err, needs)
			}
		})
	}
}
