package ownservers_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/service/ownservers"
	"pilotfish/backend/connect"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

func TestMCPServers(t *testing.T) {
	env := map[string]string{"GH": "hunter2"}
	at := ownservers.Place{
		Getenv: func(name string) string { return env[name] },
		Store:  toolservers.NewStore(filepath.Join(t.TempDir(), "mcp-servers.json"), nil),
		Others: func(string) ([]connect.Other, error) {
			return []connect.Other{
				{Name: "web", Server: connect.Server{Command: "web"}, Env: map[string]string{"KEY": "hunter3"}},
				{Name: "far", Skipped: "it is not started as a program"},
			}, nil
		},
	}
	says := func(want string, req ownservers.Request) {
		t.Helper()
		var out bytes.Buffer
		err := ownservers.Run(t.Context(), at, req, &out)
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%+v: %q, %v, want %q", req, out.String(), err, want)
		}
		if strings.Contains(out.String(), "hunter") {
			t.Errorf("%+v shows a secret: %s", req, out.String())
		}
	}
	fails := func(code protocol.Code, req ownservers.Request) {
		t.Helper()
		var out bytes.Buffer
		if err := ownservers.Run(t.Context(), at, req, &out); protocol.AsError(err) == nil || protocol.AsError(err).Code != code || protocol.AsError(err).Hint == "" {
			t.Errorf("%+v: %v, want %s and what to do", req, err, code)
		}
	}
	says("You have no MCP servers", ownservers.Request{})
	says("hub is added", ownservers.Request{Action: "add", Name: "hub", Line: `npx -y "hub server"`, Env: "GH,MODE=x"})
	says("ask   hub", ownservers.Request{})
	says("GH=(masked) MODE=(masked)", ownservers.Request{Action: "list"})
	says("far is left out: it is not started as a program.\n1 server from claude.", ownservers.Request{Action: "import", Name: "claude"})
	says("hub: allow.", ownservers.Request{Action: "allow", Name: "hub"})
	says(`"permission":"allow"`, ownservers.Request{JSON: true})
	says("[from claude]", ownservers.Request{})
	says("web is removed.", ownservers.Request{Action: "remove", Name: "web"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "remove", Name: "web"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "x", Env: "NOT_SET"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "dance"})
	env[protocol.EnvMark] = "x"
	fails(protocol.CodeRefused, ownservers.Request{})
}
