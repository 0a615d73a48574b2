package model_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	fake "pilotfish/app/agents/fakes/model"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/model"
	"pilotfish/backend/hub"
	"pilotfish/backend/llm"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialects are the providers with which both wire formats are tested.
func dialects() []protocol.LLMProvider {
	return []protocol.LLMProvider{protocol.LLMAnthropic, protocol.LLMCompatible}
}

// product is Chat with a model profile. Everything is real, except the model
// behind the network, and the effect of its tools.
type product struct {
	*chat.Manager
	t       *testing.T
	dir     string
	hosted  *fake.Model
	models  *llm.Manager
	profile string
	tools   *toolbox
	stop    func()
}

// open starts the product. Starting a second one on the same folder simulates a
// restart.
func open(t *testing.T, provider protocol.LLMProvider, script fake.Script, before *product) *product {
	t.Helper()
	p := &product{t: t, tools: &toolbox{}, dir: t.TempDir()}
	if before != nil {
		p.dir = before.dir
	}
	p.hosted = fake.New(script)
	t.Cleanup(p.hosted.Close)
	var err error
	p.models, err = llm.New(llm.Config{
		Path: filepath.Join(p.dir, "models.json"), Transport: &http.Transport{DisableKeepAlives: true}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if before != nil {
		p.profile = before.profile
	}
	key := fake.Key
	state, err := p.models.Save(t.Context(), protocol.LLMSaveRequest{
		Profile: protocol.LLMProfile{ID: p.profile, Name: "Mine", Provider: provider, URL: p.hosted.OpenAIURL(), Model: "fake-model", Vision: true}, Key: &key,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.profile = state.Profiles[0].ID
	models, err := model.New(model.Config{
		Models: p.models, Tools: func(driver.SessionConfig) model.Toolbox { return p.tools },
		System: func(cfg driver.SessionConfig) string { return "You are beside tab " + string(cfg.Tab) + "." },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Manager, err = chat.New(chat.Config{
		Session: "default", Tabs: opentabs.New(protocol.Tab{ID: "t1"}), Events: hub.New[any](1),
		Dir: filepath.Join(p.dir, "chat"), Root: p.dir, Attachments: filepath.Join(p.dir, "attachments"), Broker: policy.NewBroker("default", func() {}),
		Agents: profiles{p.models, models},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	p.stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(p.stop)
	if before == nil {
		if _, err := p.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c", Tab: "t1", Agent: protocol.ModelAgent(p.profile)}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *product) send(id protocol.MessageID, text string) {
	p.t.Helper()
	if _, err := p.Send(p.t.Context(), protocol.ChatSendRequest{Conversation: "c", Message: id, Text: text}); err != nil {
		p.t.Fatal(err)
	}
}

// until waits until the conversation fulfils want.
func (p *product) until(want func(protocol.ChatPage) bool) protocol.ChatPage {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 3*time.Minute)
	defer cancel()
	events, err := p.Watch(ctx, "c", 0)
	if err != nil {
		p.t.Fatal(err)
	}
	var page protocol.ChatPage
	for _, err := range events {
		if err != nil {
			p.t.Fatal(err)
		}
		if page, err = p.History(protocol.ChatHistoryRequest{Conversation: "c"}); err != nil {
			p.t.Fatal(err)
		}
		if want(page) {
			return page
		}
	}
	p.t.Fatalf("it never came to it: %q, %+v", short(page.Entries), page.Head)
	return page
}

// ended waits for the end of a message's turn and returns its entries.
func (p *product) ended(id protocol.MessageID) []protocol.ChatEntry {
	p.t.Helper()
	page := p.until(func(page protocol.ChatPage) bool {
		return slices.ContainsFunc(page.Entries, func(e protocol.ChatEntry) bool { return e.Message == id && e.Kind == protocol.EntryEnd })
	})
	return slices.DeleteFunc(page.Entries, func(e protocol.ChatEntry) bool { return e.Message != id })
}

// short returns the entries in short form: "user hello", "text Hello!", "end
// done".
func short(entries []protocol.ChatEntry) []string {
	var out []string
	for _, e := range entries {
		line := string(e.Kind)
		switch {
		case e.End != nil:
			line += " " + string(e.End.Reason)
			if e.End.Error != nil {
				line += " " + string(e.End.Error.Code)
			}
		case e.Tool != nil:
			line += " " + e.Tool.Name + " " + string(e.Tool.Status)
		case e.Text != "":
			line += " " + e.Text
		}
		out = append(out, line)
	}
	return out
}

func (p *product) want(entries []protocol.ChatEntry, want ...string) {
	p.t.Helper()
	if got := short(entries); !slices.Equal(got, want) {
		p.t.Errorf("entries are\n%q\nand not\n%q", got, want)
	}
	if refused := p.hosted.Refused(); len(refused) > 0 {
		p.t.Errorf("the hosted API would have refused: %q", refused)
	}
}

// last returns the last request that the model got.
func (p *product) last() fake.Request {
	p.t.Helper()
	all := p.hosted.Requests()
	if len(all) == 0 {
		p.t.Fatal("the model was asked nothing")
	}
	return all[len(all)-1]
}

// toolbox is the tools that the model may call.
type toolbox struct {
	mu    sync.Mutex
	calls []string
	// does runs a call; if nil, the answer is "did NAME".
	does func(ctx context.Context, name string, args json.RawMessage) model.Result
}

func (b *toolbox) Tools() []model.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"ref":{"type":"string"}}}`)
	return []model.Tool{
		{Name: "browser_act", Title: "Act on the page", About: "Acts.", Schema: schema},
		{Name: "browser_snapshot", Title: "Look at the page", About: "Looks.", Schema: schema},
	}
}

func (b *toolbox) Call(ctx context.Context, name string, args json.RawMessage) model.Result {
	b.mu.Lock()
	b.calls = append(b.calls, name+" "+string(args))
	does := b.does
	b.mu.Unlock()
	if does != nil {
		return does(ctx, name, args)
	}
	return model.Result{Text: "did " + name}
}

func (b *toolbox) called() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// profiles are the agents of a conversation: the model profiles.
type profiles struct {
	models *llm.Manager
	driver *model.Driver
}

func (a profiles) Starter(_ context.Context, kind protocol.AgentKind, _ string) (driver.Starter, error) {
	id, _ := protocol.ModelProfile(kind)
	profile, err := a.models.Profile(id)
	return driver.Starter{Driver: a.driver, FromJournal: true, Launch: driver.Launch{Kind: kind, Name: profile.Name}}, err
}

func (profiles) Folder(_ context.Context, _ protocol.Actor, _ protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	return launch, nil
}

func (profiles) Tools(context.Context, protocol.Actor, protocol.TabID, string) []driver.ToolServer {
	return nil
}

func (profiles) Release(protocol.Actor)       {}
func (profiles) System(protocol.TabID) string { return "" }
func (profiles) Settings() chat.Settings      { return chat.Settings{Silence: protocol.ChatSilence} }
