package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// maxChallenge bounds a challenge of GET /health, in hex digits.
const maxChallenge = 128

// health reports that the server runs. A caller that has the pairing's key can
// check with a challenge that this is the server it was paired with, before it
// sends its token.
func (s *Server) health(w http.ResponseWriter, r *http.Request, _ call) error {
	h := protocol.Health{
		Status:   "ok",
		Version:  s.version,
		Protocol: protocol.Version,
		UptimeS:  time.Since(s.begun).Seconds(),
		Pairs:    s.sessions.Pairs(),
	}
	if challenge := r.URL.Query().Get("challenge"); challenge != "" {
		if _, err := hex.DecodeString(challenge); err != nil || len(challenge) > maxChallenge {
			return protocol.NewError(protocol.CodeBadArgument, "the challenge is not 1 to 64 bytes in hex", "")
		}
		mac := hmac.New(sha256.New, s.key)
		mac.Write([]byte(challenge))
		h.Proof = hex.EncodeToString(mac.Sum(nil))
	}
	return reply(w, h)
}

func (s *Server) welcomePage(w http.ResponseWriter, r *http.Request, _ call) error {
	s.welcome.ServeHTTP(w, r)
	return nil
}

// pair waits for the user, so that its connection must not make room for another one. The
// number of panels that wait is limited.
func (s *Server) pair(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.PairRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	defer holdConn(r.Context())()
	ctx, cancel := context.WithCancel(r.Context())
	var stop sync.WaitGroup
	defer stop.Wait()
	defer cancel()
	stop.Go(func() {
		select {
		case <-c.stopping:
			cancel()
		case <-ctx.Done():
		}
	})
	client, server := ends(ctx)
	out, err := s.sessions.Pair(ctx, client, server, req)
	switch {
	case err != nil && ctx.Err() != nil:
		return protocol.NewError(protocol.CodeNotRunning, "the app is stopping", "")
	case err != nil:
		return err
	}
	return reply(w, out)
}

// ptySession finds or starts a terminal, and creates the single-use token for
// its socket.
func (s *Server) ptySession(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.PtySessionRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	info, err := s.sessions.PtySession(r.Context(), c.grant, req)
	if err != nil {
		return err
	}
	expires := time.Now().Add(protocol.AttachTokenLife)
	return reply(w, protocol.PtySessionReply{Terminal: info, Attach: s.mintAttach(c.grant, &info), Expires: expires})
}

// mintAttach creates the single-use token for a terminal's socket. It is a
// child of the panel's grant and ends with it.
func (s *Server) mintAttach(panel auth.Grant, terminal *protocol.TerminalInfo) string {
	_, secret := s.auth.Mint(auth.KindAttach, auth.Grant{
		Session:  panel.Session,
		Terminal: terminal.ID,
		Tab:      terminal.Tab,
		Actor:    panel.Actor,
		Parent:   panel.ID,
	}, protocol.AttachTokenLife)
	return secret.Reveal()
}

// command runs one command. When the command fails, the reply has status 200
// and contains the error, together with what the page showed.
func (s *Server) command(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.CommandRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), protocol.MaxCommandTimeout)
	defer cancel()
	if accepts(r, "text/event-stream") {
		return s.commandEvents(ctx, w, c.grant, req)
	}
	return reply(w, s.sessions.Command(ctx, c.grant, req, nil))
}

func (s *Server) batch(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.BatchRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	if len(req.Commands) == 0 || len(req.Commands) > protocol.MaxBatch {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a batch has 1 to %d commands", protocol.MaxBatch), "")
	}
	ctx, cancel := context.WithTimeout(r.Context(), protocol.MaxCommandTimeout)
	defer cancel()
	out := protocol.BatchReply{Replies: make([]protocol.CommandReply, 0, len(req.Commands))}
	for _, one := range req.Commands {
		done := s.sessions.Command(ctx, c.grant, one, nil)
		out.Replies = append(out.Replies, done)
		if ctx.Err() != nil || !done.OK && !req.KeepGoing {
			break
		}
	}
	return reply(w, out)
}

// modelCall forwards a prompt and streams the response until it ends.
func (s *Server) modelCall(w http.ResponseWriter, r *http.Request, c call) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	ctx, release := s.lasting(r, c)
	defer release()
	return s.sessions.Prompt(ctx, &flowing{w}, r.URL.Query().Get("profile"), body)
}

// chooseSession returns the grant for the session that the query names, if the
// caller may reach every session. For all others, the session is that of the
// token.
func chooseSession(grant auth.Grant, r *http.Request) (auth.Grant, error) {
	name := r.URL.Query().Get("session")
	if name == "" || grant.Session != "" {
		return grant, nil
	}
	session, err := protocol.ParseSessionName(name)
	grant.Session = session
	return grant, err
}
