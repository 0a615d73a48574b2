package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

const secret = "sk-very-secret-0123456789"

// harness is a manager with one profile, whose provider is a server of the
// test.
type harness struct {
	*Manager
	id   string
	path string
}

func newHarness(t *testing.T, p protocol.LLMProvider, handler http.HandlerFunc) harness {
	t.Helper()
	keyring.MockInit()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	path := filepath.Join(t.TempDir(), "models.json")
	m, err := New(Config{Path: path, Keychain: func(context.Context) bool { return true }, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	key := secret
	state, err := m.Save(t.Context(), protocol.LLMSaveRequest{
		Profile: protocol.LLMProfile{Provider: p, URL: srv.URL + "/v1", Model: "small"}, Key: &key,
	})
	if err != nil {
		t.Fatal(err)
	}
	return harness{Manager: m, id: state.Profiles[0].ID, path: path}
}

func TestCallAddsTheKeyAndStreams(t *testing.T) {
	for _, c := range []struct {
		provider     protocol.LLMProvider
		path, header string
		want         string
	}{
		{protocol.LLMOpenAI, "/v1/chat/completions", "Authorization", "Bearer " + secret},
		{protocol.LLMAnthropic, "/v1/messages", "X-Api-Key", secret},
		{protocol.LLMAzure, "/v1/openai/deployments/small/chat/completions", "Api-Key", secret},
		{protocol.LLMMistral, "/v1/chat/completions", "Authorization", "Bearer " + secret},
	} {
		t.Run(string(c.provider), func(t *testing.T) {
			more := make(chan struct{})
			h := newHarness(t, c.provider, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get(c.header); got != c.want || r.URL.Path != c.path {
					t.Errorf("%s %s: %s = %q", r.Method, r.URL.Path, c.header, got)
				}
				for _, name := range []string{"Cookie", "Origin", "Referer"} {
					if r.Header.Get(name) != "" {
						t.Errorf("%s went to the provider", name)
					}
				}
				body, _ := io.ReadAll(r.Body)
				if string(body) != `{"model":"small"}` {
					t.Errorf("body = %s", body)
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Set-Cookie", "a=b")
				_, _ = io.WriteString(w, "data: one\n\n")
				_ = http.NewResponseController(w).Flush()
				<-more // the first part must reach the caller before the second is made
				_, _ = io.WriteString(w, "data: two\n\n")
			})
			ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := h.Call(r.Context(), w, h.id, []byte(`{"model":"small"}`)); err != nil {
					t.Error(err)
				}
			}))
			defer ours.Close()
			res := get(t, ours.URL) //nolint:bodyclose // get closes it
			first := make([]byte, len("data: one\n\n"))
			if _, err := io.ReadFull(res.Body, first); err != nil {
				t.Fatal(err)
			}
			close(more)
			rest, err := io.ReadAll(res.Body)
			if err != nil || string(first)+string(rest) != "data: one\n\ndata: two\n\n" {
				t.Errorf("got %q and %q, %v", first, rest, err)
			}
			if res.Header.Get("Set-Cookie") != "" || res.Header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("headers = %v", res.Header)
			}
		})
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestABusyProviderIsAskedAgainWhenItSays(t *testing.T) {
	var asked atomic.Int32
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, _ *http.Request) {
		switch asked.Add(1) {
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(529)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	})
	w := httptest.NewRecorder()
	if err := h.Call(t.Context(), w, h.id, nil); err != nil || w.Code != http.StatusOK || asked.Load() != 3 {
		t.Errorf("code %d after %d requests, %v", w.Code, asked.Load(), err)
	}
}

func TestAWaitThatIsTooLongIsTheCallersToDecide(t *testing.T) {
	var asked atomic.Int32
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"your key `+secret+` is over its limit"}}`)
	})
	w := httptest.NewRecorder()
	if err := h.Call(t.Context(), w, h.id, nil); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "3600" || asked.Load() != 1 {
		t.Errorf("code %d, headers %v, %d requests", w.Code, w.Header(), asked.Load())
	}
	if strings.Contains(w.Body.String(), secret) {
		t.Error("the key came back in an error")
	}
}

func TestAnErrorOfTheProvidersIsNotSentAgain(t *testing.T) {
	var asked atomic.Int32
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	})
	w := httptest.NewRecorder()
	if err := h.Call(t.Context(), w, h.id, nil); err != nil || w.Code != http.StatusInternalServerError || asked.Load() != 1 {
		t.Errorf("code %d after %d requests, %v", w.Code, asked.Load(), err)
	}
}

func TestARedirectDoesNotGetTheKey(t *testing.T) {
	var thief atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { thief.Add(1) }))
	defer other.Close()
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	err := h.Call(t.Context(), httptest.NewRecorder(), h.id, []byte("{}"))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeNavigation || thief.Load() != 0 {
		t.Errorf("err = %v, %d requests elsewhere", err, thief.Load())
	}
}

func TestAModelThatFallsSilentIsCutOff(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: one\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	h.silence = time.Millisecond
	ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = h.Call(r.Context(), w, h.id, nil) // it ends with a panic that aborts the connection
	}))
	defer ours.Close()
	_, err := io.ReadAll(get(t, ours.URL).Body) //nolint:bodyclose // get closes it
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken answer ended as a whole one: %v", err)
	}
}

func TestTheKeyIsInNoFileAndNoState(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(http.ResponseWriter, *http.Request) {})
	data, err := os.ReadFile(h.path)
	if err != nil || strings.Contains(string(data), secret) {
		t.Errorf("%v: %s", err, data)
	}
	state := h.State(t.Context())
	if text := fmt.Sprintf("%+v", state); strings.Contains(text, secret) {
		t.Error("the state has the key")
	}
	p := state.Profiles[0]
	if !p.HasKey || p.KeyKept != keptKeychain || p.Dialect != protocol.DialectOpenAI {
		t.Errorf("profile = %+v", p)
	}
	// The next run has both.
	again, err := New(Config{Path: h.path, Keychain: func(context.Context) bool { return true }, Logger: slog.New(slog.DiscardHandler)})
	if err != nil || !again.State(t.Context()).Profiles[0].HasKey {
		t.Errorf("after a restart: %v", err)
	}
}

func TestWithoutAKeychainTheKeyIsForThisRun(t *testing.T) {
	keyring.MockInit()
	path := filepath.Join(t.TempDir(), "models.json")
	cfg := Config{Path: path, Logger: slog.New(slog.DiscardHandler)}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	key := secret
	state, err := m.Save(t.Context(), protocol.LLMSaveRequest{Profile: protocol.LLMProfile{Provider: protocol.LLMOpenAI}, Key: &key})
	if err != nil || state.Keychain || state.Profiles[0].KeyKept != keptMemory {
		t.Fatalf("%+v, %v", state, err)
	}
	again, err := New(cfg)
	if err != nil || again.State(t.Context()).Profiles[0].HasKey {
		t.Errorf("the key outlived the run: %v", err)
	}
}

// A provider that needs no key may still have been given one. The profile shows
// when that key is missing.
func TestAKeyThatIsGoneIsKnownForEveryProvider(t *testing.T) {
	for _, info := range Providers() {
		keyring.MockInitWithError(errors.New("no keychain"))
		cfg := Config{Path: filepath.Join(t.TempDir(), "models.json"), Logger: slog.New(slog.DiscardHandler)}
		m, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		key := secret
		profile := protocol.LLMProfile{Provider: info.Provider, URL: "https://models.example/v1", Model: "m"}
		state, err := m.Save(t.Context(), protocol.LLMSaveRequest{Profile: profile, Key: &key})
		if err != nil || !state.Profiles[0].Keyed || !state.Profiles[0].HasKey {
			t.Fatalf("%s: %+v, %v", info.Provider, state.Profiles, err)
		}
		renamed := state.Profiles[0]
		renamed.Name = "Mine"
		if state, err = m.Save(t.Context(), protocol.LLMSaveRequest{Profile: renamed}); err != nil || !state.Profiles[0].Keyed {
			t.Errorf("%s: another name: %+v, %v", info.Provider, state.Profiles, err)
		}
		again, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if p := again.State(t.Context()).Profiles[0]; p.HasKey || !p.Keyed {
			t.Errorf("%s: after a restart: %+v", info.Provider, p)
		}
		none := ""
		if state, err = again.Save(t.Context(), protocol.LLMSaveRequest{Profile: renamed, Key: &none}); err != nil || state.Profiles[0].Keyed {
			t.Errorf("%s: it was taken back: %+v, %v", info.Provider, state.Profiles, err)
		}
	}
}

func TestAKeyDoesNotFollowToAnotherPlace(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(http.ResponseWriter, *http.Request) {})
	p := h.State(t.Context()).Profiles[0]
	p.URL = "https://elsewhere.example/v1"
	state, err := h.Save(t.Context(), protocol.LLMSaveRequest{Profile: p})
	if err != nil || state.Profiles[0].HasKey {
		t.Errorf("%+v, %v", state.Profiles, err)
	}
	if _, err := h.Delete(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Get(keychainService, keychainUser(p.ID)); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the key of a profile that is gone: %v", err)
	}
}

func TestWhoeverShowsTheModelsHearsOfEachChange(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(http.ResponseWriter, *http.Request) {})
	reported := 0
	h.OnChange(func() { reported++ })
	p := h.State(t.Context()).Profiles[0]
	p.Model = "large"
	if _, err := h.Save(t.Context(), protocol.LLMSaveRequest{Profile: p}); err != nil || reported != 1 {
		t.Errorf("told %d times, %v", reported, err)
	}
	if _, err := h.Save(t.Context(), protocol.LLMSaveRequest{Profile: protocol.LLMProfile{Provider: "nobody"}}); err == nil || reported != 1 {
		t.Errorf("told %d times of a change that was refused", reported)
	}
	if _, err := h.Delete(t.Context(), p.ID); err != nil || reported != 2 {
		t.Errorf("told %d times, %v", reported, err)
	}
}

func TestProfilesThatCannotWorkAreRefused(t *testing.T) {
	m, err := New(Config{Path: filepath.Join(t.TempDir(), "m.json"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	key := "two words"
	for name, req := range map[string]protocol.LLMSaveRequest{
		"unknown provider":  {Profile: protocol.LLMProfile{Provider: "nobody"}},
		"no address":        {Profile: protocol.LLMProfile{Provider: protocol.LLMAzure}},
		"no scheme":         {Profile: protocol.LLMProfile{Provider: protocol.LLMCompatible, URL: "example.com"}},
		"a file":            {Profile: protocol.LLMProfile{Provider: protocol.LLMCompatible, URL: "file:///etc/passwd"}},
		"not encrypted":     {Profile: protocol.LLMProfile{Provider: protocol.LLMCompatible, URL: "http://example.com/v1"}},
		"metadata":          {Profile: protocol.LLMProfile{Provider: protocol.LLMCompatible, URL: "http://169.254.169.254/v1"}},
		"with a password":   {Profile: protocol.LLMProfile{Provider: protocol.LLMCompatible, URL: "https://a:b@example.com/v1"}},
		"a key with spaces": {Profile: protocol.LLMProfile{Provider: protocol.LLMOpenAI}, Key: &key},
		"unknown profile":   {Profile: protocol.LLMProfile{ID: "gone", Provider: protocol.LLMOpenAI}},
	} {
		want := protocol.CodeBadArgument
		if req.Profile.ID != "" {
			want = protocol.CodeUnknownModel
		}
		if _, err := m.Save(t.Context(), req); protocol.AsError(err) == nil || protocol.AsError(err).Code != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(m.State(t.Context()).Profiles); n != 0 {
		t.Errorf("%d profiles were kept", n)
	}
	for _, near := range []string{"http://127.0.0.1:8080/v1", "http://localhost:1/v1", "http://192.168.1.7/v1", "http://box.local/v1", "https://example.com/v1?api-version=1"} {
		if _, err := parseBase(near); err != nil {
			t.Errorf("%s: %v", near, err)
		}
	}
}

func TestAnAddressWithoutAListIsSaidInWords(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, http.NotFound)
	_, err := h.Models(t.Context(), h.id)
	if e := protocol.AsError(err); e == nil || !strings.Contains(e.Message, "no list of models") || !strings.Contains(e.Hint, "/v1") {
		t.Errorf("error = %v", err)
	}
}

func TestModelsAndVerdicts(t *testing.T) {
	status, answer := http.StatusOK, ""
	h := newHarness(t, protocol.LLMOpenAI, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"data":[{"id":"models/b","context_window":8192},{"id":"a","display_name":"A"}]}`)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
	list, err := h.Models(t.Context(), h.id)
	if err != nil || len(list) != 2 || list[0] != (protocol.LLMModel{ID: "a", Name: "A"}) || list[1] != (protocol.LLMModel{ID: "b", Context: 8192}) {
		t.Errorf("models = %+v, %v", list, err)
	}
	for _, c := range []struct {
		status int
		answer string
		ok     bool
		says   string
	}{
		{200, `{"choices":[{"message":{"tool_calls":[{"function":{"name":"ready"}}]}}]}`, true, "It answers and can call tools"},
		{200, `{"choices":[{"message":{"content":"I am ready."}}]}`, false, "does not call a tool"},
		{200, `{"ok":true}`, false, "not like a model"},
		{200, `<html>`, false, "not like a model"},
		{401, `{"error":{"message":"bad key ` + secret + `"}}`, false, "refuses the key: bad key [key]"},
		{404, `{"error":"no such model"}`, false, "no such model"},
		{401, `{"error":{"message":"No key was provided."}}`, false, "refuses the key: No key was provided"},
		{429, ``, false, "rate limit"},
		{500, `[{"error":{"message":"oops"}}]`, false, "oops"},
	} {
		status, answer = c.status, c.answer
		v := h.Test(t.Context(), h.id)
		if v.OK != c.ok || !strings.Contains(v.Message, c.says) || strings.HasSuffix(v.Message, ".") || strings.Contains(v.Message, secret) {
			t.Errorf("%d %s: %+v", c.status, c.answer, v)
		}
	}
	if v := h.Test(t.Context(), "gone"); v.OK || v.Hint == "" {
		t.Errorf("unknown profile: %+v", v)
	}
}

// In both wire formats the test asks for a tool call, as a step of a task does.
func TestATestAsksForATool(t *testing.T) {
	for provider, want := range map[protocol.LLMProvider]string{
		protocol.LLMOpenAI:    `{"function":{"name":"ready"},"type":"function"}`,
		protocol.LLMMistral:   `"required"`,
		protocol.LLMAnthropic: `{"name":"ready","type":"tool"}`,
	} {
		var asked struct {
			Tools  []json.RawMessage `json:"tools"`
			Choice json.RawMessage   `json:"tool_choice"`
		}
		h := newHarness(t, provider, func(w http.ResponseWriter, r *http.Request) {
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(w, `{"content":[{"type":"tool_use"}]}`)
		})
		if v := h.Test(t.Context(), h.id); !v.OK || len(asked.Tools) != 1 || string(asked.Choice) != want {
			t.Errorf("%s: %+v, asked with %s", provider, v, asked.Choice)
		}
	}
}

func TestAModelThatIsTooSlow(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a disconnected caller only after that
		<-r.Context().Done()
	})
	h.testTime = time.Millisecond
	if v := h.Test(t.Context(), h.id); v.OK || !strings.Contains(v.Message, "did not answer in time") || v.Hint == "" {
		t.Errorf("verdict = %+v", v)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	h := newHarness(t, protocol.LLMOpenAI, nil)
	p := h.State(t.Context()).Profiles[0]
	p.URL = "http://127.0.0.1:1/v1"
	if _, err := h.Save(t.Context(), protocol.LLMSaveRequest{Profile: p, Key: new(string(secret))}); err != nil {
		t.Fatal(err)
	}
	v := h.Test(t.Context(), h.id)
	if v.OK || !strings.Contains(v.Message, "cannot be reached at 127.0.0.1:1") {
		t.Errorf("verdict = %+v", v)
	}
	if found := h.Local(t.Context()); found == nil {
		t.Error("no list")
	}
}

func TestDamagedProfilesArePutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(path, []byte(`{"version":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil || len(m.State(t.Context()).Profiles) != 0 {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".bad"); err != nil {
		t.Error(err)
	}
}

func FuzzReason(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"x"}}`))
	f.Add([]byte(`[{"error":"x"}]`))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if got := reason(body); len(got) > 310 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
