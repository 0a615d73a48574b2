package stdio

import (
	"fmt"
	"os"
)

// end is a pipe: our side and the agent's side.
type end struct{ ours, theirs *os.File }

// pipes are the three pipes of an agent. They are files, and not the readers
// and writers of exec.Cmd, so that each side can be closed on its own.
type pipes struct{ stdin, stdout, stderr end }

func newPipes() (*pipes, error) {
	p := &pipes{}
	for _, make := range []struct {
		end   *end
		write bool // we write
	}{{&p.stdin, true}, {&p.stdout, false}, {&p.stderr, false}} {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
			return nil, fmt.Errorf("making the agent's pipes: %w", err)
		}
		if make.write {
			*make.end = end{ours: w, theirs: r}
		} else {
			*make.end = end{ours: r, theirs: w}
		}
	}
	return p, nil
}

func (p *pipes) closeTheirs() {
	for _, e := range []end{p.stdin, p.stdout, p.stderr} {
		_ = e.theirs.Close() // closing a nil file only returns an error
	}
}

func (p *pipes) closeOurs() {
	for _, e := range []end{p.stdin, p.stdout, p.stderr} {
		_ = e.ours.Close() // stdin may be closed already
	}
}
