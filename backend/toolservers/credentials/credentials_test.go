package credentials_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
)

const token = "Bearer hunter2-hunter2"

type place struct {
	store         *toolservers.Store
	list, secrets string
	keychain      bool
}

func newPlace(t *testing.T) *place {
	t.Helper()
	keyring.MockInit()
	dir := t.TempDir()
	p := &place{list: filepath.Join(dir, "mcp-servers.json"), secrets: filepath.Join(dir, "mcp-server-secrets.json"), keychain: true}
	p.store = toolservers.NewStore(p.list, credentials.New(p.secrets, func(context.Context) bool { return p.keychain }))
	return p
}

func hub(url string, headers ...toolservers.Header) toolservers.Server {
	return toolservers.Server{Name: "Hub", URL: url, Headers: headers}
}

func (p *place) resolved(t *testing.T) map[string]string {
	t.Helper()
	all, err := p.store.List()
	if err != nil || len(all) != 1 {
		t.Fatalf("List() = %+v, %v", all, err)
	}
	whole, err := p.store.Resolve(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, h := range whole.Headers {
		values[h.Name] = h.Value
	}
	return values
}

func (p *place) files(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{p.list, p.secrets} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// A header that is a credential is in the keychain, in no file, and only for the origin
// of its server. Other headers are in the list.
func TestCredentialsAreInTheKeychain(t *testing.T) {
	p := newPlace(t)
	if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "Authorization", Value: token}, toolservers.Header{Name: "X-Team", Value: "blue"})); err != nil {
		t.Fatal(err)
	}
	if text := p.files(t); strings.Contains(text, "hunter2") || !strings.Contains(text, "blue") {
		t.Errorf("the files: %s", text)
	}
	if got := p.resolved(t); got["Authorization"] != token || got["X-Team"] != "blue" {
		t.Errorf("%v", got)
	}
	if err := p.store.Permit("Hub", toolservers.Allow); err != nil {
		t.Fatal(err)
	}
	kept := toolservers.Header{Name: "Authorization", Secret: true}
	team := toolservers.Header{Name: "X-Team", Value: "blue"}
	// The same again, without the value: it stays.
	if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", kept, team)); err != nil {
		t.Fatal(err)
	}
	if all, _ := p.store.List(); all[0].Permission != toolservers.Allow || p.resolved(t)["Authorization"] != token {
		t.Errorf("%+v", all)
	}
	// Another origin does not get the value, whatever the list says.
	err := p.store.Add(t.Context(), hub("https://evil.example/mcp", kept))
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeBadArgument || e.Hint == "" {
		t.Errorf("another origin: %v", err)
	}
	changed, err := os.ReadFile(p.list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.list, []byte(strings.ReplaceAll(string(changed), "hub.example", "evil.example")), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := p.store.List()
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := p.store.Resolve(t.Context(), all[0]); err == nil {
		t.Errorf("another origin got %+v", whole)
	}
	if err := p.store.Remove(t.Context(), "Hub"); err != nil {
		t.Fatal(err)
	}
	if text := p.files(t); strings.Contains(text, "mcp.hub") {
		t.Errorf("the secret stayed: %s", text)
	}
}

// Without a keychain a credential is refused, with what to do, unless another keeper of
// secrets has it. Other headers need none.
func TestWithoutAKeychain(t *testing.T) {
	p := newPlace(t)
	p.keychain = false
	for _, h := range []toolservers.Header{{Name: "Authorization", Value: token}, {Name: "X-Note", Value: token}, {Name: "X-Api-Key", Value: "four words"}} {
		e := protocol.AsError(p.store.Add(t.Context(), hub("https://hub.example/mcp", h)))
		if e == nil || e.Code != protocol.CodeNoKeyring || !strings.Contains(e.Hint, "op://") || strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%s: %v", h.Name, e)
		}
	}
	if all, err := p.store.List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "X-Team", Value: "blue"}, toolservers.Header{Name: "Authorization", Value: "op://work/hub/header"})); err != nil {
		t.Fatal(err)
	}
	if text := p.files(t); !strings.Contains(text, `"from": "op://work/hub/header"`) {
		t.Error(text)
	}
}

// A keychain that is locked later is said so, by the names that the user knows.
func TestAKeychainThatIsLockedLater(t *testing.T) {
	p := newPlace(t)
	if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "Authorization", Value: token})); err != nil {
		t.Fatal(err)
	}
	p.keychain = false
	all, err := p.store.List()
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.store.Resolve(t.Context(), all[0])
	if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeNoKeyring || !strings.Contains(e.Message, "Authorization of Hub") {
		t.Errorf("%v", err)
	}
}

// A new value that is refused, because the keychain is locked, does not take the old one
// away.
func TestANewValueThatIsRefused(t *testing.T) {
	p := newPlace(t)
	if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "Authorization", Value: token})); err != nil {
		t.Fatal(err)
	}
	p.keychain = false
	e := protocol.AsError(p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "Authorization", Value: token + "-new"})))
	if e == nil || e.Code != protocol.CodeNoKeyring {
		t.Errorf("%v", e)
	}
	p.keychain = true
	if got := p.resolved(t); got["Authorization"] != token {
		t.Errorf("%v", got)
	}
}

// A credential that stays in a locked keychain is not said to be removed.
func TestRemoveWithALockedKeychain(t *testing.T) {
	p := newPlace(t)
	add := func() {
		t.Helper()
		if err := p.store.Add(t.Context(), hub("https://hub.example/mcp", toolservers.Header{Name: "Authorization", Value: token})); err != nil {
			t.Fatal(err)
		}
	}
	add()
	p.keychain = false
	e := protocol.AsError(p.store.Remove(t.Context(), "Hub"))
	if e == nil || e.Code != protocol.CodeNoKeyring || !strings.Contains(e.Message, "Authorization of Hub") || e.Hint == "" {
		t.Errorf("%v", e)
	}
	if all, err := p.store.List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	p.keychain = true
	add()
	if err := p.store.Remove(t.Context(), "Hub"); err != nil || strings.Contains(p.files(t), "mcp.hub") {
		t.Errorf("%v, %s", err, p.files(t))
	}
}
