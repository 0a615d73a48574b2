package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"aead.dev/minisign"

	"pilotfish/backend/protocol"
)

// Source is where updates are published.
type Source struct {
	// Address is that of the manifest. Its signature has the same with ".minisig".
	Address string
	// Key verifies the manifest.
	Key minisign.PublicKey
	// Installed is the version of this program.
	Installed string
	// OS and Arch are the system of this program, as GOOS and GOARCH.
	OS, Arch string
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

// Found is what a check found.
type Found struct {
	Manifest Manifest
	// Newer says that the release is newer than this program.
	Newer bool
}

// Check reads the manifest. The error has CodeRefused when it cannot be trusted.
func (s Source) Check(ctx context.Context) (Found, error) {
	at, err := address(s.Address)
	if err != nil {
		return Found{}, err
	}
	text, err := s.fetch(ctx, at, maxManifest)
	if err != nil {
		return Found{}, err
	}
	signed := *at
	signed.Path += ".minisig"
	signature, err := s.fetch(ctx, &signed, maxSignature)
	if err != nil {
		return Found{}, err
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	m, err := parse(text, signature, s.Key, s.Installed, now())
	if err != nil {
		return Found{}, err
	}
	return Found{Manifest: m, Newer: order(m.Release, s.Installed) > 0}, nil
}

// fetch reads a small file whole.
func (s Source) fetch(ctx context.Context, at *url.URL, limit int64) ([]byte, error) {
	body, err := s.open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, broken(at, err)
	}
	if int64(len(text)) > limit {
		return nil, protocol.NewError(protocol.CodeRefused, at.Redacted()+" is too large for what it should be", "nothing was changed; look at the address")
	}
	return text, nil
}

// open asks for a file. It sends no version, no name of a machine and no cookie.
func (s Source) open(ctx context.Context, at *url.URL) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", at.Redacted(), err)
	}
	req.Header.Set("User-Agent", "pilotfish-update")
	client := http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return errors.New("it leads from one address to another without end")
		}
		_, err := address(to.URL.String())
		return err
	}}
	reply, err := client.Do(req)
	if err != nil {
		return nil, broken(at, err)
	}
	if reply.StatusCode != http.StatusOK {
		_ = reply.Body.Close() // it is not read
		return nil, protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s answers %s", at.Redacted(), reply.Status), "nothing was changed; look at the address, or try again later")
	}
	return reply.Body, nil
}

func broken(at *url.URL, err error) error {
	return protocol.NewError(protocol.CodeNavigation, fmt.Sprintf("%s cannot be loaded: %v", at.Redacted(), err), "nothing was changed; look at the network and the address")
}
