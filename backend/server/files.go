package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
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

// fileData sends a file to the panel as data in JSON: a page of the extension
// cannot load a file from a URL that needs a token.
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

// screenshot takes a screenshot of a tab and sends it to the panel, as an
// attachment for a message.
func (s *Server) screenshot(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.ChatScreenshotRequest
	if err := decode(w, r, &req); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), protocol.MaxCommandTimeout)
	defer cancel()
	user := c.grant
	user.Scopes = auth.Scopes{protocol.ScopeRead}
	done := s.sessions.Command(ctx, user, protocol.CommandRequest{Command: "screenshot", Tab: req.Tab}, nil)
	if done.Error != nil {
		return done.Error
	}
	var made protocol.FileRequest // only the path, which the screenshot's data has too
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

// asData returns a file of the session as an attachment.
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

// Attachment reads a file that a conversation shows; path is the file's path in
// the conversation. It returns CodeTooLarge beyond protocol.MaxAttachment.
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

// contentType returns the media type of a file that our commands save; any
// other file is application/octet-stream.
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
	case ".webm":
		return "video/webm"
	case ".pdf":
		return "application/pdf"
	case ".json", ".har":
		return "application/json"
	default:
		return "application/octet-stream"
	}
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
	s.mcp(&flowing{w}, r.WithContext(ctx), c.grant)
	return nil
}
