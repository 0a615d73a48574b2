package updating_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aead.dev/minisign"

	"pilotfish/app/service/updating"
	"pilotfish/backend/protocol"
	"pilotfish/backend/update"
)

func run(t *testing.T, env map[string]string, req updating.Request) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := updating.Run(t.Context(), updating.Place{
		Getenv: func(name string) string { return env[name] }, Version: "0.1.0", Address: "none", Key: "none",
		Succeeds: func(context.Context, ...string) bool { return false },
	}, req, &out)
	return out.String(), err
}

func TestOffUntilAnAddressIsSet(t *testing.T) {
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(update.Manifest{Version: 1, Product: "pilotfish", Release: "9.0.0", Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if strings.HasSuffix(r.URL.Path, ".minisig") {
			_, _ = w.Write(minisign.Sign(secret, text))
			return
		}
		_, _ = w.Write(text)
	}))
	defer site.Close()
	env := map[string]string{protocol.EnvHome: t.TempDir()}
	says := func(req updating.Request, want string) {
		t.Helper()
		if got, err := run(t, env, req); err != nil || !strings.Contains(got, want) {
			t.Errorf("%+v: %q, %v, want %q", req, got, err, want)
		}
	}
	says(updating.Request{}, "Updates are off, and nothing was sent.")
	says(updating.Request{Check: true}, "Updates are off")
	if _, err := run(t, env, updating.Request{From: site.URL + "/update.json"}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("an address without a key: %v", err)
	}
	if _, err := run(t, env, updating.Request{From: site.URL + "/update.json", Key: "x"}); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a key that is none: %v", err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent while updates were off", n)
	}
	says(updating.Request{Check: true, From: site.URL + "/update.json", Key: public.String()}, "9.0.0 is there; this is 0.1.0.")
	says(updating.Request{Check: true, JSON: true}, `"newer":true`) // it is remembered
	says(updating.Request{From: "none"}, "Updates are off")
	before := asked.Load()
	says(updating.Request{}, "Updates are off")
	if asked.Load() != before {
		t.Error("a request was sent after updates were switched off")
	}
}

func TestAgentsDoNotUpdate(t *testing.T) {
	_, err := run(t, map[string]string{protocol.EnvHome: t.TempDir(), protocol.EnvMark: "x"}, updating.Request{Undo: true})
	if protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("an agent: %v", err)
	}
}
