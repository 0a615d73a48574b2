package tray

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// pseudo is a text in the language of this test.
func pseudo(text string) string { return "⟦" + text + "⟧" }

// buildPseudo builds a program in which every text is in ⟦ ⟧.
func buildPseudo(t *testing.T, dir, program string) string {
	t.Helper()
	english, err := os.ReadFile("../../../frontend/ui/texts/en.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]any{}
	if err := json.Unmarshal(english, &texts); err != nil {
		t.Fatal(err)
	}
	for text := range texts {
		texts[text] = pseudo(text)
	}
	translated, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	language := filepath.Join(dir, "en-XA.json")
	if err := os.WriteFile(language, translated, 0o600); err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(dir, filepath.Base(program))
	for _, args := range [][]string{
		{"node", "../../../frontend/ui/texts/overlay.mjs", dir},
		{"go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", built, program},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "PILOTFISH_LANGUAGE="+language)
		if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "stay English") {
			t.Fatalf("%q: %v\n%s", args, err, said)
		}
	}
	return built
}

func TestMenuInAnotherLanguage(t *testing.T) {
	program := buildPseudo(t, t.TempDir(), "pilotfish/app/tray")
	ctx, d := newDesktop(t, desktop.Config{})
	p := startProgram(t, d, program)
	p.expect(t, protocol.TrayAction{Action: protocol.TrayReady})
	state := running()
	state.Approvals = []protocol.TrayApproval{{Session: "work", ID: "n1", Label: "one", Whole: true}}
	for len(state.Tabs) < 17 {
		state.Tabs = append(state.Tabs, protocol.TrayTab{Session: "default", ID: "t9", Label: "a tab"})
	}
	p.draw(t, state)
	item, err := d.WaitItem(ctx, p.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ours := []string{"Allow once: one", "Deny: one", "Stop session", "2 more tabs …", "Open Pilotfish", "Open logs", "Quit"}
	if _, err := item.WaitMenu(ctx, func(e []desktop.Entry) bool {
		labels := desktop.Labels(e)
		return !slices.ContainsFunc(ours, func(text string) bool { return !slices.Contains(labels, pseudo(text)) })
	}); err != nil {
		t.Fatal(err)
	}
}

// Settings, notifications and the welcome page come from the backend, so a small
// program with its packages stands for the app.
func TestTextsOfTheBackendInAnotherLanguage(t *testing.T) {
	program := buildPseudo(t, t.TempDir(), "pilotfish/app/e2e/tray/testdata/shows")
	ctx, d := newDesktop(t, desktop.Config{})
	notes, err := d.Notifications()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Stderr = d.Env(), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var settings protocol.SettingsRegistry
	var welcome string
	lines := json.NewDecoder(out)
	for _, to := range []any{&settings, &welcome} {
		if err := lines.Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for _, g := range settings.Groups {
		texts = append(texts, g.Title)
	}
	for _, s := range settings.Settings {
		texts = append(texts, s.Label, s.Explanation, s.Empty, s.Unit)
		for _, c := range s.Choices {
			texts = append(texts, c.Text)
		}
		if strings.Contains(s.Name+s.Field+s.Group+s.Example, "⟦") {
			t.Errorf("a code is translated: %+v", s)
		}
	}
	for _, text := range texts {
		if text != "" && text != "%" && !strings.HasPrefix(text, "⟦") {
			t.Errorf("not translated: %q", text)
		}
	}
	if len(texts) < 100 {
		t.Errorf("%d texts", len(texts))
	}

	for _, want := range []string{
		`<html lang="en-XA">`, "⟦Codex is here, and reads the page itself. Type this after its prompt.⟧", "⟦Your panel⟧",
		"⟦The panel is closed. Its programs keep running. Press ${key} to open it again.⟧",
	} {
		if !strings.Contains(welcome, want) {
			t.Errorf("the welcome page has no %s", want)
		}
	}

	note, err := notes.WaitNote(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const (
		title = "⟦⟦Codex in Chat⟧ needs your approval⟧"
		body  = "⟦⟦click “Buy now”⟧ on https://a.test⟧. ⟦This may pay for something or place an order.⟧"
	)
	if note.Title != title || note.Body != body || note.Key("⟦Allow once⟧") == "" || note.Key("⟦Deny⟧") == "" {
		t.Errorf("%+v", note)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
