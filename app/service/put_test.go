package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// THREATS 71: the results go to the host of the address and to no other, their file stays, and
// no error has what opens the address.
func TestPut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	const results = "{\"row\":1}\n{\"row\":2}\n"
	if err := os.WriteFile(file, []byte(results), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host is asked") }))
	defer elsewhere.Close()
	got := ""
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("sig") {
		case "moved-s3cret":
			w.Header().Set("Location", elsewhere.URL+"/?"+r.URL.RawQuery)
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "good-s3cret":
			data, err := io.ReadAll(r.Body)
			if got = string(data); err != nil || r.Method != http.MethodPut || r.ContentLength != int64(len(data)) || r.URL.Path != "/bucket/results.jsonl" {
				t.Errorf("%s %s: %d bytes, %v", r.Method, r.URL.Path, r.ContentLength, err)
			}
		default:
			http.Error(w, r.URL.String(), http.StatusForbidden)
		}
	}))
	defer store.Close()
	at := store.URL + "/bucket/results.jsonl?sig="
	for address, want := range map[string]string{at + "old-s3cret": "status 403", at + "moved-s3cret": "status 307", "http://127.0.0.1:1/results.jsonl?sig=s3cret": "connection refused", "s3cret": "not an address", "https://127.0.0.1:1/%zz?s3cret": "not an address"} {
		err := put(t.Context(), file, strings.NewReader(address))
		if e := protocol.AsError(err); err == nil || !strings.Contains(e.Message, want) || e.Hint == "" || strings.Contains(fmt.Sprint(e.Message, e.Hint), "s3cret") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := put(t.Context(), file, strings.NewReader(at+"good-s3cret")); err != nil || got != results {
		t.Errorf("%v: %q", err, got)
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != results {
		t.Errorf("%q, %v", kept, err)
	}
}
