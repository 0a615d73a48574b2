package catalogue_test

import (
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// The question about an agent's upload shows what a link leads to; what belongs to
// Pilotfish is refused before anybody is asked, and so is a path that leads elsewhere by
// the time of the answer.
func TestAnUploadByLinkShowsTheRealPath(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(home, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	report, other, swapped, token := filepath.Join(home, "report.csv"), filepath.Join(home, "other.csv"), filepath.Join(home, "swapped.csv"), filepath.Join(state, "token")
	for _, path := range []string{report, other, swapped, token} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to string) string {
		path := filepath.Join(home, "link-to-"+filepath.Base(to))
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	toReport, toToken := link(report), link(token)
	for name, c := range map[string]struct {
		files []string
		shown string
		swap  bool
		code  protocol.Code
	}{
		"a link":            {[]string{toReport, other}, report + "\n" + other, false, ""},
		"by ..":             {[]string{state + "/../report.csv"}, report, false, ""},
		"a link to a token": {[]string{toReport, toToken}, "", false, protocol.CodeForbidden},
		"put in its place":  {[]string{swapped}, swapped, true, protocol.CodeForbidden},
	} {
		var asked []protocol.Approval
		broker := policy.NewBroker("default", func() {})
		watch := command.Watch{Asking: func(q protocol.Approval) {
			asked = append(asked, q)
			if c.swap {
				if err := os.Remove(swapped); err != nil {
					t.Error(err)
				}
				if err := os.Symlink(token, swapped); err != nil {
					t.Error(err)
				}
			}
			if err := broker.Answer(q.ID, protocol.AnswerOnce); err != nil {
				t.Error(err)
			}
		}}
		b := newTabs()
		config := catalogue.Config{Browser: b, Policy: policy.New(policy.Config{Broker: broker})}
		config.Uploads = catalogue.Uploads{Dir: filepath.Join(state, "uploads"), Private: []string{state}}
		reply := catalogue.New(config).Execute(t.Context(), command.Call{
			Actor: agent, Scopes: scopes, Tab: "t1", Request: request("upload", map[string]any{"target": "e5", "files": c.files}), Watch: watch,
		})
		if code(reply) != c.code {
			t.Errorf("%s: %+v", name, reply)
		}
		if (c.shown == "") != (len(asked) == 0) {
			t.Errorf("%s: asked %+v", name, asked)
			continue
		}
		for _, arg := range append([]protocol.ApprovalArg{}, first(asked)...) {
			if arg.Name == "files" && arg.Value != c.shown {
				t.Errorf("%s: the user was shown %q", name, arg.Value)
			}
		}
	}
}

func first(asked []protocol.Approval) []protocol.ApprovalArg {
	if len(asked) == 0 {
		return nil
	}
	return asked[0].Args
}
