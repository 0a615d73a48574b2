package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/protocol"
)

// TestFolderIsTrustedInThePanel is THREATS 31 as a user meets it: the panel asks before
// an agent starts in a folder with settings for agents, and the answer starts it there.
func TestFolderIsTrustedInThePanel(t *testing.T) {
	project := shortDir(t)
	if err := os.WriteFile(filepath.Join(project, ".mcp.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, _, panel := shared(t)
	defer p.settings(fmt.Sprintf("work_dir = %q", project), `agent = "custom"`, `agent_command = "env bash -i"`)()
	p.startAgent(panel, "env")
	p.until(panel, "the panel asks", `document.querySelector('.approval')?.textContent.includes('use the settings for agents in')`)
	if info := p.terminal(); info.State != protocol.TerminalStarting || info.PID != 0 {
		t.Errorf("before the answer: %+v", info)
	}
	if err := p.desk.Screenshot(p.ctx, artifact(t, "trust.png")); err != nil {
		t.Fatal(err)
	}
	p.word(panel, "Trust this folder")
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, `clear; echo "it is in $PWD"`)
	p.untilScreen(panel, "it is in "+project)
}
