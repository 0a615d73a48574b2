package browser

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// On the first page of an agent's history there is no earlier page, and no URL is
// refused. The agent may go back to the welcome page of our own server.
func TestBackOnTheFirstPage(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "no-store") // otherwise the browser shows it again without a request
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", html.EscapeString(r.URL.Path))
	}))
	f := headless(t)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	var own atomic.Int64 // the network gate of an earlier page may still ask for it
	registry := catalogue.New(catalogue.Config{Browser: f.Browser, Policy: policy.New(policy.Config{OwnPort: func() int { return int(own.Load()) }})})
	first := f.first(t)
	back := func(kind protocol.ActorKind) protocol.CommandReply {
		return registry.Execute(deadline(t), command.Call{
			Actor: protocol.Actor{Kind: kind, ID: "a"}, Tab: first,
			Scopes: []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}, Request: protocol.CommandRequest{Command: "back"},
		})
	}
	open := func(address string) {
		t.Helper()
		if _, err := f.Navigate(deadline(t), nobody, first, address, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	none := func(reply protocol.CommandReply) {
		t.Helper()
		if reply.OK || reply.Error.Code != protocol.CodeNavigation || !strings.Contains(reply.Text, "no earlier page in "+string(first)) {
			t.Errorf("back where there is nothing: %s", reply.Text)
		}
	}
	none(back(protocol.ActorUser)) // about:blank is the only entry

	open("chrome://version/")
	open(s.URL + "/site")
	none(back(protocol.ActorTerminal))
	if info, err := f.Page(deadline(t), nobody, first); err != nil || info.URL != s.URL+"/site" {
		t.Errorf("the tab went to %q, %v", info.URL, err)
	}

	open(strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/welcome")
	own.Store(int64(port))
	other := site(t)
	open(other.URL + "/one")
	if reply := back(protocol.ActorTerminal); !reply.OK || !strings.Contains(reply.Text, "/welcome") {
		t.Errorf("back to the welcome page: %s", reply.Text)
	}
	if info, err := f.Page(deadline(t), nobody, first); err != nil || !strings.HasSuffix(info.URL, "/welcome") {
		t.Errorf("the tab is at %q, %v", info.URL, err)
	}
}
