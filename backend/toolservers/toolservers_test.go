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

// Ask implements toolservers.Asker.
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
	return toolservers.NewStore(path), path
}

func TestListAndPermissions(t *testing.T) {
	store, path := newStore(t)
	if all, err := store.List(); err != nil || len(all) != 0 {
		t.Fatalf("an empty list: %v, %v", all, err)
	}
	if err := store.Add(files(), toolservers.Server{Name: "a", Command: "a"}); err != nil {
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
	if err := store.Add(files()); err != nil || permission() != toolservers.Allow {
		t.Errorf("the same once more: %v, %s, want allow", err, permission())
	}
	other := files()
	other.Args = []string{"-y", "other"}
	if err := store.Add(other); err != nil || permission() != toolservers.Ask {
		t.Errorf("another program under the name: %v, %s, want ask", err, permission())
	}
	if err := store.Remove("a"); err != nil {
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
	} {
		server := files()
		bend(&server)
		if err := store.Add(server); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := store.List(); err != nil || len(all) != 0 {
		t.Errorf("a refused server was kept: %v, %v", all, err)
	}
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
	if got := offer.For(t.Context(), &user{}, protocol.Actor{}, ""); len(got) != 0 {
		t.Errorf("offered %v", got)
	}
}

func TestOffer(t *testing.T) {
	store, _ := newStore(t)
	if err := store.Add(files()); err != nil {
		t.Fatal(err)
	}
	offer := toolservers.NewOffer(store, slog.New(slog.DiscardHandler))
	step := func(name string, u *user, servers, questions int) {
		t.Helper()
		got := offer.For(t.Context(), u, protocol.Actor{Kind: protocol.ActorChat}, "t1")
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
	if err := store.Add(other); err != nil {
		t.Fatal(err)
	}
	step("another program is asked about again", &user{answer: protocol.AnswerOnce}, 1, 1)
	if err := store.Permit("files", toolservers.Deny); err != nil {
		t.Fatal(err)
	}
	step("denied for good", &user{answer: protocol.AnswerOnce}, 0, 0)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_ = offer.For(over, &user{err: context.Canceled}, protocol.Actor{}, "") // returns
}
