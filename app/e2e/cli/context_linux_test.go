package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// contexts tries sessions in the browser of another one: each is signed in for itself, also
// clients of `mcp --isolated` and of `serve --isolated`, whose sessions end with them; and they end
// with the browser's session.
func contexts(t *testing.T, r *installation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if who, is := strings.CutPrefix(req.URL.Path, "/as/"); is {
			w.Header().Set("Set-Cookie", "who="+who+"; Path=/")
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<p>signed in: " + req.Header.Get("Cookie"))) //nolint:gosec // a page of the test
	}))
	defer site.Close()
	r.run("sessions", "start", "host")
	for _, name := range []string{"ada", "bob"} {
		r.run("sessions", "start", name, "--in", "host")
		r.run("goto", site.URL+"/as/"+name, "--session", name)
	}
	clients := map[string]*sdk.ClientSession{
		"eve": connect(t, &sdk.CommandTransport{Command: r.command(ctx, "mcp", "--isolated", "--session", "host")}),
		"fay": connect(t, r.mcp()), "gil": connect(t, r.mcp()),
	}
	for name, client := range clients {
		byMCP(client)(t, "goto "+site.URL+"/as/"+name, "")
	}
	for _, name := range []string{"ada", "bob"} {
		r.run("goto", site.URL, "--session", name)
		if out := r.run("text", "--session", name); !strings.Contains(out, "signed in: who="+name) {
			t.Errorf("%s: %s", name, out)
		}
		if out := r.run("tabs", "--session", name); strings.Count(out, "t1 ") != 1 || strings.Contains(out, "t2") {
			t.Errorf("the tabs of %s: %s", name, out)
		}
	}
	isolated := func() (names []protocol.SessionName) {
		for _, s := range r.status(t) {
			if strings.HasPrefix(string(s.Name), "mcp-") {
				names = append(names, s.Name)
			}
		}
		return names
	}
	own := isolated()
	if len(own) != len(clients) {
		t.Errorf("the clients have the sessions %v", own)
	}
	for name, client := range clients {
		run := func(line string) string { t.Helper(); return byMCP(client)(t, line, "").text }
		run("goto " + site.URL)
		if out := run("text"); !strings.Contains(out, "signed in: who="+name) {
			t.Errorf("%s by MCP: %s", name, out)
		}
		for _, other := range append(own, "ada", "host") {
			if out := run("text --session " + string(other)); !strings.Contains(out, "signed in: who="+name) {
				t.Errorf("%s reads %s: %s", name, other, out)
			}
		}
	}
	if out := r.run("cookies", "--session", "host", "--all"); strings.Contains(out, "who") {
		t.Errorf("the cookies of the browser's own session: %s", out)
	}
	if out, err := r.command(ctx, "perf", "--trace", "--session", "ada").CombinedOutput(); err == nil || !strings.Contains(string(out), "names what session host loads") {
		t.Errorf("a trace: %s, %v", out, err)
	}
	for left := len(clients) - 1; left >= 0; left-- {
		for name, client := range clients { // one of them
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			delete(clients, name)
			break
		}
		for len(isolated()) != left {
			if ctx.Err() != nil {
				t.Fatal("the client's session has not ended with it")
			}
		}
	}
	r.run("sessions", "stop", "host")
	for {
		states := map[protocol.SessionName]protocol.SessionInfo{}
		for _, s := range r.status(t) {
			states[s.Name] = s
		}
		if ada := states["ada"]; ada.State == protocol.SessionFailed && states["bob"].State == protocol.SessionFailed {
			if !strings.Contains(ada.Error.Message, "session host has ended") {
				t.Errorf("%+v", ada.Error)
			}
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("the sessions have not ended with the browser: %+v", states)
		}
	}
	for _, name := range []string{"ada", "bob", "host"} {
		r.run("sessions", "delete", name)
	}
}

// status returns the sessions.
func (r *installation) status(t *testing.T) []protocol.SessionInfo {
	t.Helper()
	out, err := r.command(t.Context(), "status", "--json").Output()
	var reply protocol.AppReply
	if err == nil {
		err = json.Unmarshal(out, &reply)
	}
	if err != nil {
		t.Fatalf("%s, %v", out, err)
	}
	return reply.Sessions
}
