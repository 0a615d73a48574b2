package browser

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// TestBackOnTheFirstPage: where an agent's pages begin there is no earlier page,
// and no address is refused; it may go back to the welcome page of our own server.
func TestBackOnTheFirstPage(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "no-store") // or the browser shows it again without asking
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", html.EscapeString(r.URL.Path))
	}))
	t.Cleanup(s.Close)
	f := start(t, config(t, true))
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	registry := catalogue.New(catalogue.Config{Browser: f.Browser, Policy: policy.New(policy.Config{OwnPort: func() int { return own }})})
	first := f.first(t)
	back := func(kind protocol.ActorKind) protocol.CommandReply {
		return registry.Execute(deadline(t), command.Call{
			Actor: protocol.Actor{Kind: kind, ID: "a"}, Tab: first,
			Scopes: []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}, Request: protocol.CommandRequest{Command: "back"},
		})
	}
	open := func(address string) {
		t.Helper()
		if _, err := f.Navigate(deadline(t), first, address, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	none := func(reply protocol.CommandReply) {
		t.Helper()
		if reply.OK || reply.Error.Code != protocol.CodeNavigation || !strings.Contains(reply.Text, "no earlier page in "+string(first)) {
			t.Errorf("back where there is nothing: %s", reply.Text)
		}
	}
	none(back(protocol.ActorPerson)) // about:blank is the whole history

	open("chrome://version/")
	open(s.URL + "/site")
	none(back(protocol.ActorTerminal))
	if info, err := f.Page(deadline(t), first); err != nil || info.URL != s.URL+"/site" {
		t.Errorf("the tab went to %q, %v", info.URL, err)
	}

	open(strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/welcome")
	own = port
	other := site(t)
	open(other.URL + "/one")
	if reply := back(protocol.ActorTerminal); !reply.OK || !strings.Contains(reply.Text, "/welcome") {
		t.Errorf("back to the welcome page: %s", reply.Text)
	}
	if info, err := f.Page(deadline(t), first); err != nil || !strings.HasSuffix(info.URL, "/welcome") {
		t.Errorf("the tab is at %q, %v", info.URL, err)
	}
}
