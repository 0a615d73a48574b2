package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// reference is an emulator that stays connected: xterm's own without a screen, in
// a separate process.
type reference struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

func newReference(t *testing.T) *reference {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", `import { runnerImport } from 'vite'; await runnerImport('./test/terminal/reference.ts')`)
	cmd.Dir = filepath.Join(repoRoot(t), "extension")
	cmd.Stderr = os.Stderr
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
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &reference{t, in, bufio.NewReader(out)}
}

// ask sends a request and decodes its answer.
func (r *reference) ask(request map[string]any, answer any) {
	r.t.Helper()
	b, err := json.Marshal(request)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.in.Write(append(b, '\n')); err != nil {
		r.t.Fatal(err)
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		r.t.Fatal(err)
	}
	if answer != nil {
		if err := json.Unmarshal(line, answer); err != nil {
			r.t.Fatal(err)
		}
	}
}
