package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"pilotfish/backend/protocol"
)

// response records whether the reply has begun: an error can be sent only
// before that.
type response struct {
	http.ResponseWriter
	begun bool
}

func (w *response) WriteHeader(code int) {
	w.begin()
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// begin sets the write deadline of the reply: writeTimeout from its first byte,
// however slowly the caller reads.
func (w *response) begin() {
	if !w.begun {
		w.begun = true
		deadline(w.ResponseWriter, (*http.ResponseController).SetWriteDeadline, writeTimeout)
	}
}

// Unwrap lets a WebSocket take over the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// fail replies with an error.
func (w *response) fail(s *Server, err error) {
	if w.begun {
		return
	}
	code := httpStatus(err)
	switch code {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusMisdirectedRequest:
		// A caller that guesses tokens, or was led here by DNS rebinding, has to
		// connect again for the next attempt.
		w.Header().Set("Connection", "close")
	case http.StatusInternalServerError:
		s.log.Error("a request ended with an error", "error", err)
	}
	body := protocol.AsError(err)
	if st, ok := errors.AsType[*statusError](err); ok {
		body = &st.reply
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	encode(w, protocol.ErrorReply{Error: body})
}

// encode writes v as JSON. It ignores a write error: the caller has
// disconnected.
func encode(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// reply writes v with status 200.
func reply(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the reply: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a caller that has disconnected needs no reply
	return nil
}

// decode reads the body into v. Unknown fields are ignored: they cannot grant a
// caller anything, and a newer client may send more.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return protocol.NewError(protocol.CodeBadArgument, "the body is not the JSON that this route takes: "+err.Error(), "")
	}
	return nil
}

// deadline sets a deadline of the request's connection; 0 removes it.
func deadline(w http.ResponseWriter, set func(*http.ResponseController, time.Time) error, after time.Duration) {
	var t time.Time
	if after > 0 {
		t = time.Now().Add(after)
	}
	// It fails only on a closed connection, and then the next read fails too.
	_ = set(http.NewResponseController(w), t)
}

// statusError is an error of the gates, with the HTTP status that the contract
// specifies for it.
type statusError struct {
	code  int
	reply protocol.Error
}

func (e *statusError) Error() string { return e.reply.Error() }

func status(code int, pc protocol.Code, message string) error {
	return &statusError{code: code, reply: protocol.Error{Code: pc, Message: message}}
}

// readBody reads the body of a request within the time and the size that the gates
// set, and lifts the deadline for what follows.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge(tooLarge.Limit)
	}
	if err != nil {
		return nil, status(http.StatusBadRequest, protocol.CodeBadArgument, "the body of the request could not be read")
	}
	deadline(w, (*http.ResponseController).SetReadDeadline, 0)
	return body, nil
}

func errTooLarge(limit int64) error {
	return status(http.StatusRequestEntityTooLarge, protocol.CodeTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
}

// httpStatus returns the HTTP status of an error.
func httpStatus(err error) int {
	if st, ok := errors.AsType[*statusError](err); ok {
		return st.code
	}
	switch protocol.AsError(err).Code {
	case protocol.CodeBadArgument, protocol.CodeUnknownCommand:
		return http.StatusBadRequest
	case protocol.CodeUnauthorized:
		return http.StatusUnauthorized
	case protocol.CodeForbidden, protocol.CodeRefused, protocol.CodeDenied:
		return http.StatusForbidden
	case protocol.CodeUnknownTab, protocol.CodeUnknownTerminal, protocol.CodeUnknownSession, protocol.CodeUnknownTask, protocol.CodeUnknownConversation,
		protocol.CodeUnknownModel:
		return http.StatusNotFound
	case protocol.CodeNotRunning, protocol.CodeAgentMissing, protocol.CodeProfileInUse,
		protocol.CodeNoBrowser, protocol.CodeNoDisplay, protocol.CodeNoSandbox,
		protocol.CodeNoKey, protocol.CodeBadKey, protocol.CodeModelSetup:
		return http.StatusConflict
	case protocol.CodeNoElement, protocol.CodeAmbiguous, protocol.CodeGone, protocol.CodeChanged, protocol.CodeDisabled, protocol.CodeHidden,
		protocol.CodeInert, protocol.CodeCovered, protocol.CodeNotActable, protocol.CodeDialog, protocol.CodeNoInput:
		return http.StatusConflict // the page's state prevents it; the server did not fail
	case protocol.CodeBusy:
		return http.StatusTooManyRequests
	case protocol.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case protocol.CodeTimeout:
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}
