package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// secretPage shows what an agent could read a secret from: fields with innocent
// names, a copy of the value in the page, its address, storage, the console, a
// request and an error.
const secretPage = `<!doctype html><title>Sign in</title>
<label>Word <input id=w name=w></label> <label>Other <input id=o name=o></label> <p id=echo></p><iframe id=f style="width:300px;height:80px"></iframe>
<script>
w.oninput = () => {
  echo.textContent = 'typed ' + w.value; document.title = 'has ' + w.value; w.setAttribute('value', w.value)
  localStorage.setItem('w', w.value); console.log('typed', w.value)
  history.replaceState(null, '', '?q=' + encodeURIComponent(w.value))
  fetch('/echo', { method: 'POST', body: 'field=' + encodeURIComponent(w.value) })
}
f.src = '//' + location.host.replace('127.0.0.1', 'localhost') + '/frame'
</script>`

// An agent enters a secret after the user allowed it once, on its origin only, and
// then reads the page in every way that it has: the value is nowhere.
func TestASecretIsNeverReadBack(t *testing.T) {
	keyring.MockInit()
	const value = `1. s3cr"et <wörd>  & mo_re`
	sent := make(chan string, 10)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Got", r.Header.Get("X-Key"))
		switch r.URL.Path {
		case "/echo":
			_ = r.ParseForm()
			sent <- r.PostForm.Get("field")
			fmt.Fprint(w, "you sent ", html.EscapeString(r.PostForm.Get("field")))
		case "/frame":
			fmt.Fprint(w, `<!doctype html><label>Framed <input id=i></label>`)
		default:
			fmt.Fprint(w, strings.ReplaceAll(secretPage, "fetch('/echo', { method: 'POST', body:", "fetch('/echo', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body:"))
		}
	}))
	store := secret.New(secret.Config{File: filepath.Join(t.TempDir(), "secrets.json"), Keyring: func(context.Context) bool { return true }})
	for name, origin := range map[string]string{"shop": s.URL, "evil": "https://other.example"} {
		if _, err := store.Add(t.Context(), protocol.SecretRequest{Secret: protocol.Secret{Name: name, Origin: origin}, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	key := protocol.Secret{Name: "key", Origin: s.URL, Kind: protocol.SecretHeader, Header: "X-Key"}
	if _, err := store.Add(t.Context(), protocol.SecretRequest{Secret: key, Value: "Bearer s3cr-header"}); err != nil {
		t.Fatal(err)
	}
	c := config(t, true)
	c.FilesDir, c.Mask, c.Logins = t.TempDir(), store.Mask, headerFrom{&logins{origin: s.URL, changed: make(chan struct{})}, store}
	f := start(t, c)
	first := f.first(t)
	var asked []protocol.Approval
	broker := policy.NewBroker("default", func() {})
	registry := catalogue.New(catalogue.Config{Browser: f.Browser, Secrets: store, Policy: policy.New(policy.Config{Broker: broker})})
	agent := func(name string, args map[string]any) protocol.CommandReply {
		t.Helper()
		raw := map[string]json.RawMessage{}
		for key, v := range args {
			raw[key], _ = json.Marshal(v)
		}
		return registry.Execute(deadline(t), command.Call{
			Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "a", Name: "claude"}, Tab: first,
			Scopes:  []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive},
			Request: protocol.CommandRequest{Command: name, Args: raw},
			Watch: command.Watch{Asking: func(q protocol.Approval) {
				asked = append(asked, q)
				go func() { _ = broker.Answer(q.ID, protocol.AnswerOnce) }()
			}},
		})
	}
	if _, err := f.Navigate(deadline(t), nobody, first, s.URL, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"network", "console"} { // they begin to watch
		if reply := agent(name, nil); !reply.OK {
			t.Fatal(reply.Text)
		}
	}
	// Not on another origin, not in a frame of another origin, not by a name that is
	// not there, and not together with a value.
	for want, args := range map[string]map[string]any{
		"is for https://other.example": {"target": "label=Word", "secret": "evil"},
		"the field is on":              {"target": "label=Framed", "secret": "shop"},
		"there is no secret":           {"target": "label=Word", "secret": "none"},
		"leave the value out":          {"target": "label=Word", "secret": "shop", "value": "x"},
	} {
		if reply := agent("fill", args); reply.OK || !strings.Contains(reply.Text, want) {
			t.Errorf("%v: %s", args, reply.Text)
		}
	}
	if len(asked) != 0 {
		t.Fatalf("the user was asked about what is refused: %+v", asked)
	}
	for range 2 {
		if reply := agent("fill", map[string]any{"target": "label=Word", "secret": "shop"}); !reply.OK || strings.Contains(reply.Text+string(reply.Data), "s3cr") {
			t.Fatalf("fill: %s %s", reply.Text, reply.Data)
		}
		if got := <-sent; got != value {
			t.Fatalf("the page got %q", got)
		}
	}
	if len(asked) != 1 || asked[0].Kind != protocol.ActionSecret || asked[0].Origin != s.URL {
		t.Errorf("asked %+v", asked)
	}
	if reply := agent("snapshot", nil); !strings.Contains(string(reply.Data), `"secrets":["shop"]`) {
		t.Errorf("the names of the page's secrets are not told: %s", reply.Data)
	}
	if reply := agent("fill", map[string]any{"target": "label=Word", "secret": "key"}); reply.OK || !strings.Contains(reply.Text, "sent as a header") {
		t.Errorf("a header was typed: %s", reply.Text)
	}
	if reply := agent("network", map[string]any{"do": "show", "what": "n1"}); !strings.Contains(reply.Text+string(reply.Data), "X-Got") && !strings.Contains(strings.ToLower(reply.Text+string(reply.Data)), "x-got") {
		t.Errorf("the request is not shown: %s %s", reply.Text, reply.Data)
	}
	if reply := agent("wait", map[string]any{"for": "quiet"}); !reply.OK {
		t.Error(reply.Text)
	}
	ways := []struct {
		name string
		args map[string]any
	}{
		{"snapshot", nil},
		{"snapshot", map[string]any{"full": true}},
		{"text", nil},
		{"markdown", nil},
		{"html", nil},
		{"forms", nil},
		{"title", nil},
		{"url", nil},
		{"tabs", nil},
		{"data", nil},
		{"find", map[string]any{"text": "typed"}},
		{"a11y", map[string]any{"do": "tree"}},
		{"inspect", map[string]any{"target": "label=Word"}},
		{"storage", nil},
		{"storage", map[string]any{"do": "get", "key": "w"}},
		{"console", nil},
		{"network", nil},
		{"network", map[string]any{"do": "har"}},
		{"network", map[string]any{"do": "show", "what": "n1"}},
		{"network", map[string]any{"do": "body", "what": "n1"}},
		{"network", map[string]any{"do": "body", "what": "n2"}},
		{"screenshot", map[string]any{"text": true}},
		{"archive", nil},
		{"click", map[string]any{"target": "label=Other"}},
		{"fill", map[string]any{"target": "label=Word", "value": "x", "secret": ""}},
		{"diff", nil},
	}
	read := 0
	for _, way := range ways {
		reply := agent(way.name, way.args)
		if all := reply.Text + string(reply.Data); strings.Contains(all, "s3cr") || strings.Contains(all, "wörd") {
			t.Errorf("%s %v shows it: %s", way.name, way.args, all)
		}
		if reply.OK {
			read++
		}
		var saved struct{ Path string }
		if err := json.Unmarshal(reply.Data, &saved); err == nil && saved.Path != "" {
			if raw, err := os.ReadFile(saved.Path); err != nil || strings.Contains(string(raw), "s3cr") {
				at := max(0, bytes.Index(raw, []byte("s3cr")))
				t.Errorf("%s %v saved it, %v: %q", way.name, way.args, err, raw[max(0, at-60):min(len(raw), at+60)])
			}
		}
	}
	if read < 15 {
		t.Errorf("only %d of %d ways could be taken", read, len(ways))
	}
	// Code and selectors that compare letters are refused, whatever the user answers.
	for _, way := range []struct {
		name string
		args map[string]any
	}{
		{"eval", map[string]any{"expression": "[...document.querySelector('#w').value].join('-')"}},
		{"click", map[string]any{"target": `input[value^="s"]`}},
		{"cdp", map[string]any{"method": "DOM.getDocument"}},
		{"network", map[string]any{"do": "mock", "what": s.URL + "/x.js", "body": "1"}},
	} {
		if reply := agent(way.name, way.args); reply.OK || reply.Error.Code != protocol.CodeRefused || !strings.Contains(reply.Text, "a secret of the user") {
			t.Errorf("%s %v: %s", way.name, way.args, reply.Text)
		}
	}
}

// headerFrom sends a secret of a store as a header.
type headerFrom struct {
	*logins
	store *secret.Store
}

func (h headerFrom) Headers(ctx context.Context, origin string) []httpauth.Header {
	value, err := h.store.Use(ctx, "key", origin)
	if err != nil {
		return nil
	}
	return []httpauth.Header{{Name: "X-Key", Value: value}}
}
