package server

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"

	"pilotfish/backend/protocol"
)

// file sends a file that a command saved. It is always sent as a download, so
// that its content never runs in a page of our origin.
func (s *Server) file(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	path := r.URL.Query().Get("path")
	if path == "" {
		return protocol.NewError(protocol.CodeBadArgument, "path is missing", "it is a path that a command gave")
	}
	f, mediaType, err := s.sessions.OpenFile(grant, path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading a file: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": info.Name()}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(&flowing{w}, r, info.Name(), info.ModTime(), f)
	return nil
}

// serveMCP passes a request that came through the gates to the MCP server. A
// stream ends with the server and with the token.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, c call) error {
	if r.Method == http.MethodPost {
		body, err := readBody(w, r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	ctx, release := s.lasting(r, c)
	defer release()
	s.sessions.ServeMCP(&flowing{w}, r.WithContext(ctx), c.grant)
	return nil
}
