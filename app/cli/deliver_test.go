package main

import (
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

func TestDestinations(t *testing.T) {
	for out, want := range map[string]string{
		"results.jsonl": "results.jsonl", "/a/b.csv": "/a/b.csv", "https://store.test/a/b.csv?sig=s3cret": "b.csv", "http://127.0.0.1:9/r.jsonl": "r.jsonl", "http://localhost/r": "r", "http://[::1]:9/r": "r",
		"http://store.test/a/b.csv?sig=s3cret": "", "ftp://store.test/a?sig=s3cret": "", "https://store.test/?sig=s3cret": "", "https://store.test/a/..?sig=s3cret": "", "https://?sig=s3cret": "",
		"https://store.test/a/b%2fc?sig=s3cret": "c", `https://store.test/a%5cb?sig=s3cret`: "", "https://store.test/a\x01?sig=s3cret": "",
	} {
		d, err := destinationOf(out)
		if d.file != want || (err != nil) != (want == "") || err != nil && (protocol.AsError(err).Hint == "" || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %q, %v", out, d.file, err)
		}
	}
}
