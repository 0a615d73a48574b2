package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// What pages wrote is printed on lines of ours, and nothing of it is interpreted by a
// terminal, also when it comes out of a pipe later.
func TestTextOfPagesInAPipe(t *testing.T) {
	for _, hostile := range []string{
		"\x1b]52;c;cm0gLXJm\x07", "\x1b[2J", "\x1bP$q\x1b\\", "\u009b2J", "\x9b2J", "\u009d52;c;cm0=\u009c", "\u202etxt.exe", "\u2066a\u2069", "\u2028next", "a\nt9 forged", "a\r\nt9 forged", "a\x85b", "\x7f\x7f", "\U000e0049\U000e0067", "\x00",
	} {
		sessions := []protocol.SessionInfo{{
			Name: "default", State: protocol.SessionRunning, Error: protocol.NewError(protocol.CodeInternal, hostile, hostile), Warnings: []protocol.Error{{Message: hostile}},
			Tabs: []protocol.Tab{{ID: "t1", Title: hostile, URL: "https://a.example/" + hostile, Agent: &protocol.TabAgent{Name: hostile}}},
		}}
		entry := protocol.ActivityEntry{Kind: "navigation", OK: true, Actor: protocol.Actor{Name: hostile}, Command: "open", Summary: hostile, Args: map[string]string{"url": hostile}}
		failed := entry
		failed.Kind, failed.OK = "", false
		for name, text := range map[string]string{
			"status": describeSessions(sessions, time.Now()), "activity": activityLine(entry), "a failed command": activityLine(failed), "one line": say.OneLine(hostile),
		} {
			var pipe bytes.Buffer
			if err := say.Text(&pipe, text); err != nil {
				t.Fatal(err)
			}
			check(t, name, pipe.String(), map[string]int{"status": 4}[name])
		}
		var out bytes.Buffer
		say.Failure(&out, protocol.NewError(protocol.CodeScript, strings.Join(strings.Fields(hostile), " "), ""))
		check(t, "a failure", out.String(), 0)
		out.Reset()
		if err := say.Object(&out, sessions); err != nil {
			t.Fatal(err)
		}
		check(t, "JSON", out.String(), 0)
		if !strings.Contains(out.String(), `"untrusted":true,"origin":`) {
			t.Errorf("JSON is not marked: %s", out.String())
		}
	}
}

func check(t *testing.T, name, text string, lines int) {
	t.Helper()
	if strings.ContainsFunc(text, protocol.Invisible) || strings.ContainsRune(text, '\x9b') {
		t.Errorf("%s prints %q", name, text)
	}
	if n := strings.Count(text, "\n"); n != max(1, lines) {
		t.Errorf("%s has %d lines: %q", name, n, text)
	}
}
