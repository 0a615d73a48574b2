package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// outsideTimeout is how long another keeper of secrets may take. It may ask the user
// for a fingerprint meanwhile.
const outsideTimeout = 60 * time.Second

// keeper is a program that keeps secrets, and how it is asked.
type keeper struct {
	prefix, program string
	args            func(rest string) []string
	// firstLine: only the first line of the output is the value.
	firstLine bool
}

func keepers() []keeper {
	return []keeper{
		{"op://", "op", func(rest string) []string { return []string{"read", "--no-newline", "op://" + rest} }, false},
		{"bw:", "bw", func(rest string) []string { return []string{"--nointeraction", "--raw", "get", "password", rest} }, false},
		{"pass:", "pass", func(rest string) []string { return []string{"show", rest} }, true},
	}
}

// reference checks the reference of a secret.
func reference(from string) error {
	for _, k := range keepers() {
		if rest, ok := strings.CutPrefix(from, k.prefix); ok && rest != "" && !strings.HasPrefix(rest, "-") && len(from) <= 500 && !strings.ContainsAny(from, "\r\n\x00") {
			return nil
		}
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no reference to a secret", from), "use op://vault/item/field, bw:item or pass:path")
}

// outside asks another program for a value. Its messages may contain anything, so
// they are not shown.
func (s *Store) outside(ctx context.Context, one protocol.Secret) (string, error) {
	if err := reference(one.From); err != nil {
		return "", err
	}
	for _, k := range keepers() {
		rest, ok := strings.CutPrefix(one.From, k.prefix)
		if !ok {
			continue
		}
		return ask(ctx, k, rest, one.Name)
	}
	return "", protocol.NewError(protocol.CodeInternal, "nobody keeps the secret "+one.Name, "")
}

// ask runs the program of a keeper for the value that rest refers to. name is the
// secret's, for errors.
func ask(ctx context.Context, k keeper, rest, name string) (string, error) {
	path, err := proc.Look(k.program)
	if err != nil {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the secret %s is kept by %s, which is not installed", name, k.program), "install it, or add the secret with its value")
	}
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, k.args(rest)...)
	cmd.Env = plain(os.Environ())
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &limited{&out, 4 * protocol.MaxSecretValue}
	if err := cmd.Run(); err != nil {
		why := "it did not give it"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why = "it did not answer"
		}
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the secret %s is kept by %s, and %s", name, k.program, why), fmt.Sprintf("sign in to %s in a terminal, and check the reference", k.program))
	}
	value := out.String()
	if k.firstLine {
		value, _, _ = strings.Cut(value, "\n")
	}
	value = strings.TrimRight(value, "\r\n")
	if len(value) < protocol.MinSecretValue || len(value) > protocol.MaxSecretValue {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("what %s gave for the secret %s is too short or too long", k.program, name), "check the reference")
	}
	return value, nil
}

// plain is the environment without our own variables, which may carry tokens.
func plain(all []string) []string {
	var kept []string
	for _, v := range all {
		if !strings.HasPrefix(v, "PILOTFISH_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// limited takes output up to a number of bytes and fails then, which ends the
// program.
type limited struct {
	out  *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("too much output")
	}
	return l.out.Write(p)
}
