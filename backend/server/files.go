package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// file gives out a file that a command saved. It is never shown in a page of
// ours: whatever is in it, it is a download.
func (s *Server) file(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	path := r.URL.Query().Get("path")
	if path == "" {
		return protocol.NewError(protocol.CodeBadArgument, "path is missing", "it is a path that a command gave")
	}
	files, err := s.sessions.Files(grant)
	if err != nil {
		return err
	}
	f, err := files.Open(grant.Actor, path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading a file: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", contentType(info.Name()))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": info.Name()}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(&flowing{w}, r, info.Name(), info.ModTime(), f)
	return nil
}

// fileData gives the panel a file as data: a page of the extension has no other
// way to a file that asks for a token.
func (s *Server) fileData(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.FileRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	out, err := s.asData(c.grant, req.Path)
	if err != nil {
		return err
	}
	return reply(w, out)
}

// screenshot gives the panel a picture of a tab as it is now, to go with a
// message.
func (s *Server) screenshot(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.ChatScreenshotRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), protocol.MaxCommandTimeout)
	defer cancel()
	// The panel's token opens no command; the person at it asks for this one.
	person := c.grant
	person.Scopes = auth.Scopes{protocol.ScopeRead}
	done := s.sessions.Command(ctx, person, protocol.CommandRequest{Command: "screenshot", Tab: req.Tab}, nil)
	if done.Error != nil {
		return done.Error
	}
	var made protocol.FileRequest // of which a screenshot's data has the path
	if err := json.Unmarshal(done.Data, &made); err != nil {
		return fmt.Errorf("reading what screenshot made: %w", err)
	}
	out, err := s.asData(c.grant, made.Path)
	if err != nil {
		return err
	}
	out.Name = "The page"
	return reply(w, out)
}

// asData is a file of the session as an attachment.
func (s *Server) asData(grant auth.Grant, path string) (protocol.ChatAttachment, error) {
	files, err := s.sessions.Files(grant)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	f, err := files.Open(grant.Actor, path)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	defer f.Close()
	return Attachment(f, path)
}

// Attachment reads a file that is shown in a conversation; path is how the
// conversation names it. It returns CodeTooLarge beyond protocol.MaxAttachment.
func Attachment(f *os.File, path string) (protocol.ChatAttachment, error) {
	data, err := io.ReadAll(io.LimitReader(f, protocol.MaxAttachment+1))
	if err != nil {
		return protocol.ChatAttachment{}, fmt.Errorf("reading a file: %w", err)
	}
	if len(data) > protocol.MaxAttachment {
		return protocol.ChatAttachment{}, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the file is larger than %d MB", protocol.MaxAttachment>>20), "open it from its folder")
	}
	out := protocol.ChatAttachment{Kind: protocol.AttachFile, Name: filepath.Base(f.Name()), Mime: contentType(f.Name()), Path: path, Data: base64.StdEncoding.EncodeToString(data)}
	if strings.HasPrefix(out.Mime, "image/") {
		out.Kind = protocol.AttachImage
	}
	return out, nil
}

// contentType is the kind of what our commands save; everything else is bytes.
func contentType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".pdf":
		return "application/pdf"
	case ".json", ".har":
		return "application/json"
	default:
		return "application/octet-stream"
	}
}

// serveMCP hands a request to the MCP server, behind our gates. A stream ends
// with the server and with the token.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, c call) error {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return errTooLarge(tooLarge.Limit)
		}
		if err != nil {
			return status(http.StatusBadRequest, protocol.CodeBadArgument, "the body did not arrive")
		}
		deadline(w, (*http.ResponseController).SetReadDeadline, 0) // set by the gates
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	ctx, release := s.lasting(r, c)
	defer release()
	s.mcp(&flowing{w}, r.WithContext(ctx), c.grant)
	return nil
}

// snapshotCommand is the command whose data GET /refs gives.
const snapshotCommand = "snapshot"

// knows says whether a command is in the registry.
func (s *Server) knows(name string) bool {
	for _, c := range s.commands {
		if c.Name == name {
			return true
		}
	}
	return false
}

func (s *Server) refs(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	return reply(w, s.sessions.Command(r.Context(), grant, protocol.CommandRequest{
		Command: snapshotCommand, Tab: protocol.TabID(r.URL.Query().Get("tab")), Session: grant.Session,
	}, nil))
}
