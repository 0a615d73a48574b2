package toolservers_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// user answers the questions of a test.
type user struct {
	answer protocol.ApprovalAnswer
	err    error
	asked  []protocol.Approval
}

// Ask implements question.Asker.
func (u *user) Ask(_ context.Context, q protocol.Approval) (protocol.ApprovalAnswer, error) {
	u.asked = append(u.asked, q)
	return u.answer, u.err
}

func files() toolservers.Server {
	return toolservers.Server{Name: "files", Command: "npx", Args: []string{"-y", "files"}, Env: map[string]string{"TOKEN": "hunter2"}}
}

func newStore(t *testing.T) (*toolservers.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config", "mcp-servers.json")
	return toolservers.NewStore(path, nil), path
}

func TestListAndPermissions(t *testing.T) {
	store, path := newStore(t)
	if all, err := store.List(); err != nil || len(all) != 0 {
		t.Fatalf("an empty list: %v, %v", all, err)
	}
	if err := store.Add(t.Context(), files(), toolservers.Server{Name: "a", Command: "a"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v, want mode 0600", info, err)
	}
	permission := func() toolservers.Permission {
		t.Helper()
		all, err := store.List()
		if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "files" {
			t.Fatalf("List() = %+v, %v", all, err)
		}
		return all[1].Permission
	}
	if got := permission(); got != toolservers.Ask {
		t.Errorf("a new server: %s, want ask", got)
	}
	if err := store.Permit("files", toolservers.Allow); err != nil {
		t.Fatal(err)
	}
	if err := store.Add(t.Context(), files()); err != nil || permission() != toolservers.Allow {
		t.Errorf("the same once more: %v, %s, want allow", err, permission())
	}
	other := files()
	other.Args = []string{"-y", "other"}
	if err := store.Add(t.Context(), other); err != nil || permission() != toolservers.Ask {
		t.Errorf("another program under the name: %v, %s, want ask", err, permission())
	}
	if err := store.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	err := store.Permit("file", toolservers.Deny)
	if e := protocol.AsError(err); e == nil || !strings.Contains(e.Hint, "files") {
		t.Errorf("a name that is nearly one: %v", err)
	}
}

func TestRefusedServers(t *testing.T) {
	store, _ := newStore(t)
	for name, bend := range map[string]func(*toolservers.Server){
		"no name":            func(s *toolservers.Server) { s.Name = "" },
		"our name":           func(s *toolservers.Server) { s.Name = "pilotfish" },
		"a line break":       func(s *toolservers.Server) { s.Name = "a\nb" },
		"no command":         func(s *toolservers.Server) { s.Command = "" },
		"control characters": func(s *toolservers.Server) { s.Args = []string{"\x1b[2J"} },
		"our variable":       func(s *toolservers.Server) { s.Env = map[string]string{"PILOTFISH_TOKEN": "x"} },
		"no variable":        func(s *toolservers.Server) { s.Env = map[string]string{"A=B": "x"} },
		"a long value":       func(s *toolservers.Server) { s.Env = map[string]string{"A": strings.Repeat("x", 20<<10)} },
		"both kinds":         func(s *toolservers.Server) { s.URL = "https://a.example" },
		"headers":            func(s *toolservers.Server) { s.Headers = []toolservers.Header{{Name: "A", Value: "b"}} },
		"no address":         remote("hub.example"),
		"another protocol":   remote("ftp://hub.example"),
		"a login":            remote("https://a:b@hub.example"),
		"a variable":         remote("https://hub.example/${HOME}"),
		"a line in it":       remote("https://hub.example/\n"),
		"a token in clear":   remote("http://hub.example", toolservers.Header{Name: "Authorization", Value: "Bearer abcdefgh1"}),
		"no header":          remote("https://hub.example", toolservers.Header{Name: "A B", Value: "x"}),
		"the agent's header": remote("https://hub.example", toolservers.Header{Name: "Mcp-Session-Id", Value: "x"}),
		"the header twice":   remote("https://hub.example", toolservers.Header{Name: "X-A", Value: "x"}, toolservers.Header{Name: "x-a", Value: "y"}),
		"two lines":          remote("https://hub.example", toolservers.Header{Name: "X-A", Value: "x\r\nX-B: y"}),
		"no value":           remote("https://hub.example", toolservers.Header{Name: "X-A"}),
		"no kept value":      remote("https://hub.example", toolservers.Header{Name: "X-A", Secret: true}),
	} {
		server := files()
		bend(&server)
		if err := store.Add(t.Context(), server); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := store.List(); err != nil || len(all) != 0 {
		t.Errorf("a refused server was kept: %v, %v", all, err)
	}
}

// remote makes a server one at an address.
func remote(url string, headers ...toolservers.Header) func(*toolservers.Server) {
	return func(s *toolservers.Server) { *s = toolservers.Server{Name: "hub", URL: url, Headers: headers} }
}

func TestAListThatCannotBeRead(t *testing.T) {
	store, path := newStore(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"version":1,"servers":[{"env":{"TOKEN":"hunter2"`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := store.List()
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("List() = %v, want an error without what is in the file", err)
	}
	offer := toolservers.NewOffer(store, slog.New(slog.DiscardHandler))
	if got, _ := offer.For(t.Context(), &user{}, protocol.Actor{}, ""); len(got) != 0 {
		t.Errorf("offered %v", got)
	}
}

// slowKeeper keeps what it is given, and something happens meanwhile, once: a keychain
// may wait for its user.
type slowKeeper struct{ meanwhile func() }

func (k *slowKeeper) Keep(context.Context, toolservers.Server, string, string) error {
	if meanwhile := k.meanwhile; meanwhile != nil {
		k.meanwhile = nil
		meanwhile()
	}
	return nil
}

func (k *slowKeeper) Value(context.Context, toolservers.Server, string) (string, error) {
	return "", nil
}

func (k *slowKeeper) Forget(context.Context, toolservers.Server, string) error { return nil }

// Two programs change the list at the same time, such as the window and the command line:
// neither change is lost.
func TestTwoChangesAtTheSameTime(t *testing.T) {
	other, path := newStore(t)
	if err := other.Add(t.Context(), files()); err != nil {
		t.Fatal(err)
	}
	store := toolservers.NewStore(path, &slowKeeper{meanwhile: func() {
		if err := other.Permit("files", toolservers.Deny); err != nil {
			t.Error(err)
		}
	}})
	if err := store.Add(t.Context(), toolservers.Server{Name: "hub", URL: "https://hub.example/mcp", Headers: []toolservers.Header{{Name: "Authorization", Value: "Bearer hunter2-hunter2"}}}); err != nil {
		t.Fatal(err)
	}
	if all, err := store.List(); err != nil || len(all) != 2 || all[0].Permission != toolservers.Deny {
		t.Errorf("List() = %+v, %v", all, err)
	}
}

func TestOffer(t *testing.T) {
	store, _ := newStore(t)
	if err := store.Add(t.Context(), files()); err != nil {
		t.Fatal(err)
	}
	offer := toolservers.NewOffer(store, slog.New(slog.DiscardHandler))
	step := func(name string, u *user, servers, questions int) {
		t.Helper()
		got, _ := offer.For(t.Context(), u, protocol.Actor{Kind: protocol.ActorChat}, "t1")
		if len(got) != servers || len(u.asked) != questions {
			t.Errorf("%s: %d servers, %d questions, want %d, %d", name, len(got), len(u.asked), servers, questions)
		}
		for _, q := range u.asked {
			for _, arg := range q.Args {
				if strings.Contains(arg.Value, "hunter2") {
					t.Errorf("%s: the question shows a secret", name)
				}
			}
		}
	}
	step("nobody answers", &user{err: errors.New("timeout")}, 0, 1)
	step("once", &user{answer: protocol.AnswerOnce}, 1, 1)
	step("always", &user{answer: protocol.AnswerAlways}, 1, 1)
	step("after always", &user{}, 1, 0)
	if err := store.Permit("files", toolservers.Ask); err != nil {
		t.Fatal(err)
	}
	step("denied", &user{answer: protocol.AnswerDeny}, 0, 1)
	step("after a denial", &user{answer: protocol.AnswerOnce}, 0, 0)
	other := files()
	other.Command = "bunx"
	if err := store.Add(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	step("another program is asked about again", &user{answer: protocol.AnswerOnce}, 1, 1)
	if err := store.Permit("files", toolservers.Deny); err != nil {
		t.Fatal(err)
	}
	step("denied for good", &user{answer: protocol.AnswerOnce}, 0, 0)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = offer.For(over, &user{err: context.Canceled}, protocol.Actor{}, "") // returns
}

// A server at an address is offered like a program, and asked about again at another
// address. One whose credentials cannot be had is left out, with the reason.
func TestOfferOfAnAddress(t *testing.T) {
	store, _ := newStore(t)
	hub := toolservers.Server{Name: "hub", URL: "http://127.0.0.1:8080/mcp?token=hunter2hunter2", Headers: []toolservers.Header{{Name: "X-Team", Value: "blue"}}}
	if err := store.Add(t.Context(), hub); err != nil {
		t.Fatal(err)
	}
	offer := toolservers.NewOffer(store, slog.New(slog.DiscardHandler))
	u := &user{answer: protocol.AnswerAlways}
	got, left := offer.For(t.Context(), u, protocol.Actor{}, "")
	if len(got) != 1 || len(left) != 0 || got[0].URL != hub.URL || got[0].Headers[0].Value != "blue" || got[0].Origin() != "http://127.0.0.1:8080" {
		t.Fatalf("%+v, %+v", got, left)
	}
	if len(u.asked) != 1 || u.asked[0].Args[1].Name != "address" || strings.Contains(u.asked[0].Args[1].Value, "hunter2") || u.asked[0].Args[2].Value != "X-Team" {
		t.Errorf("%+v", u.asked)
	}
	hub.URL = "https://other.example/mcp"
	if err := store.Add(t.Context(), hub); err != nil {
		t.Fatal(err)
	}
	if _, _ = offer.For(t.Context(), u, protocol.Actor{}, ""); len(u.asked) != 2 {
		t.Errorf("%d questions, want 2", len(u.asked))
	}
}

// The list of an earlier version, or of another keeper, may have what cannot be had.
func TestACredentialThatIsNotThere(t *testing.T) {
	store, path := newStore(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"version":1,"servers":[{"name":"hub","url":"https://hub.example","headers":[{"name":"Authorization","secret":true}],"permission":"allow"}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, left := toolservers.NewOffer(store, slog.New(slog.DiscardHandler)).For(t.Context(), &user{}, protocol.Actor{}, "")
	if len(got) != 0 || len(left) != 1 || left[0].Server.Name != "hub" || left[0].Why.Code != protocol.CodeNoKeyring {
		t.Errorf("%+v, %+v", got, left)
	}
}
