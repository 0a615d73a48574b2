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
				{Name: "far", Skipped: "it speaks SSE"},
				{Name: "hub", URL: "https://hub.example/mcp", Headers: map[string]string{"Authorization": "Bearer hunter4-hunter4"}},
				{Name: "maps", URL: "https://maps.example/mcp", Headers: map[string]string{"X-Team": "blue"}},
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
	says("far is left out: it speaks SSE.\nhub is left out: there is nothing to keep Authorization of hub in: leave the header out.\n2 servers from claude.", ownservers.Request{Action: "import", Name: "claude"})
	says("hub: allow.", ownservers.Request{Action: "allow", Name: "hub"})
	says(`"permission":"allow"`, ownservers.Request{JSON: true})
	says("[from claude]", ownservers.Request{})
	says("web is removed.", ownservers.Request{Action: "remove", Name: "web"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "remove", Name: "web"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "x", Env: "NOT_SET"})
	says("geo is added", ownservers.Request{Action: "add", Name: "geo", Line: "https://geo.example/mcp", Headers: "X-Team=a,b, X-Home=${GH}"})
	says(`"url":"https://geo.example/mcp","variables":[],"headers":["X-Team","X-Home"]`, ownservers.Request{JSON: true})
	all, err := at.Store.List()
	if err != nil || all[0].Name != "geo" || all[0].Headers[0].Value != "a,b" || all[0].Headers[1].Value != "hunter2" {
		t.Errorf("%+v, %v", all, err)
	}
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "https://x.example", Headers: "blue"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "https://x.example", Headers: "X-A=${NOT_SET}"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "ftp://x.example"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "add", Name: "x", Line: "https://x.example", Env: "A=b"})
	fails(protocol.CodeNoKeyring, ownservers.Request{Action: "add", Name: "x", Line: "https://x.example", Headers: "Authorization=Bearer hunter5"})
	fails(protocol.CodeBadArgument, ownservers.Request{Action: "dance"})
	env[protocol.EnvMark] = "x"
	fails(protocol.CodeRefused, ownservers.Request{})
}
