// Package trusting is `pilotfish trust`: the user looks at what the pilotfish.toml of a work
// tree sets, or at the files with settings for agents in a folder, and trusts them, where no
// window can ask.
package trusting

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
	"pilotfish/backend/trust"
)

// Request is what the command line asks for.
type Request struct {
	// Dir is a folder of the work tree; empty is the current one.
	Dir string
	// Agents trusts the settings for agents in Dir in place of the file.
	Agents bool
	// Yes trusts without a question.
	Yes bool
	// JSON prints data in place of text, and asks nothing.
	JSON bool
}

// Place says where the command works.
type Place struct {
	Getenv func(string) string
	// Store keeps what the user trusts. An app that runs reads it at each start of a session.
	Store *trust.Store
	// In has the user's answer.
	In io.Reader
}

// Trusted is what `pilotfish trust --json` prints.
type Trusted struct {
	File    string                    `json:"file"`
	Session protocol.SessionName      `json:"session"` // what `pilotfish sessions start` starts there
	Sets    *protocol.SessionIdentity `json:"sets"`
	Trusted bool                      `json:"trusted"`
}

// TrustedSettings is what `pilotfish trust --agents --json` prints.
type TrustedSettings struct {
	Folder   string   `json:"folder"`
	Settings []string `json:"settings"` // the files
	Trusted  bool     `json:"trusted"`
}

// Run trusts the file of a work tree and prints what it sets, or the settings for agents in
// a folder and prints their files. It returns a *protocol.Error with code refused when the
// user does not trust them.
func Run(ctx context.Context, at Place, req Request, out io.Writer) error {
	if at.Getenv(protocol.EnvMark) != "" || at.Getenv(protocol.EnvConfined) != "" {
		return protocol.NewError(protocol.CodeRefused, "only the user decides what is trusted, and an agent asked", "run it in a shell of your own")
	}
	dir, err := filepath.Abs(req.Dir)
	if err != nil {
		return fmt.Errorf("reading the path of the folder: %w", err)
	}
	if req.Agents {
		return settings(ctx, at, req, dir, out)
	}
	file := config.FindProject(dir)
	if file == "" {
		return protocol.NewError(protocol.CodeBadArgument, "there is no "+config.ProjectFile+" in "+dir, "name a folder of a work tree that has one")
	}
	name, id, err := identity.Project(ctx, file, trust.NewFolders(at.Store), &asker{req: req, what: "this file", in: at.In, out: out})
	if err != nil {
		return err
	}
	if req.JSON {
		return say.Object(out, Trusted{File: file, Session: name, Sets: id, Trusted: true})
	}
	return say.Text(out, fmt.Sprintf("%s is trusted until it changes. `pilotfish sessions start` in its folder starts the session %s.\n", file, name))
}

// settings trusts the settings for agents in a folder.
func settings(ctx context.Context, at Place, req Request, dir string, out io.Writer) error {
	found, err := trust.In(dir)
	if err != nil {
		return err
	}
	if len(found.Files) == 0 {
		return protocol.NewError(protocol.CodeBadArgument, "there are no settings for agents in "+found.Path, "agents start there without a question")
	}
	user := &asker{req: req, what: "these settings", in: at.In, out: out}
	if _, err := trust.NewFolders(at.Store).MayStart(ctx, user, protocol.Actor{}, "", dir); err != nil {
		return err
	}
	if req.JSON {
		return say.Object(out, TrustedSettings{Folder: found.Path, Settings: found.Files, Trusted: true})
	}
	return say.Text(out, fmt.Sprintf("The settings for agents in %s are trusted until they change.\n", found.Path))
}

// asker asks the user on the terminal.
type asker struct {
	req  Request
	what string // is trusted, such as "this file"
	in   io.Reader
	out  io.Writer
}

// Ask shows everything that is to be trusted and returns the user's answer. It implements
// trust.Asker.
func (a *asker) Ask(_ context.Context, q protocol.Approval) (protocol.ApprovalAnswer, error) {
	if !a.req.JSON {
		var text strings.Builder
		for _, arg := range q.Args {
			for line := range strings.Lines(arg.Value) {
				fmt.Fprintf(&text, "%s: %s\n", arg.Name, strings.Join(strings.Fields(line), " "))
			}
		}
		if err := say.Text(a.out, text.String()); err != nil {
			return "", err
		}
	}
	if a.req.Yes {
		return protocol.AnswerAlways, nil
	}
	line := ""
	if !a.req.JSON {
		err := say.Part(a.out, "Trust "+a.what+"? [y/N] ")
		if err != nil {
			return "", err
		}
		if line, err = bufio.NewReader(a.in).ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the answer: %w", err)
		}
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return protocol.AnswerAlways, nil
	}
	return "", protocol.NewError(protocol.CodeRefused, "you did not trust "+a.what, "answer y, or add --yes")
}
