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

// response remembers whether the reply has begun: an error can be told only
// before.
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

// begin gives the reply its deadline: it may take as long as one message of a
// socket, however slowly the caller reads.
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
		// Who guesses, or was led here, gets no cheap second try.
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

// encode writes v as JSON. A write that fails means that the caller is gone.
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
	_, _ = w.Write(b) // a caller that is gone needs no reply
	return nil
}

// decode reads the body into v. Unknown fields are ignored: a caller cannot
// claim anything with them, and a newer one may send more.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge(tooLarge.Limit)
	}
	if err != nil {
		return status(http.StatusBadRequest, protocol.CodeBadArgument, "the body did not arrive")
	}
	deadline(w, (*http.ResponseController).SetReadDeadline, 0) // set by the gates
	if err := json.Unmarshal(body, v); err != nil {
		return protocol.NewError(protocol.CodeBadArgument, "the body is not the JSON that this route takes: "+err.Error(), "")
	}
	return nil
}

// deadline sets a deadline of the request's connection; 0 takes it away.
func deadline(w http.ResponseWriter, set func(*http.ResponseController, time.Time) error, after time.Duration) {
	var t time.Time
	if after > 0 {
		t = time.Now().Add(after)
	}
	// Only a connection that is gone refuses, and then the next read tells.
	_ = set(http.NewResponseController(w), t)
}

// statusError is an error of the gates, with the HTTP status that the contract
// names for it.
type statusError struct {
	code  int
	reply protocol.Error
}

func (e *statusError) Error() string { return e.reply.Error() }

func status(code int, pc protocol.Code, message string) error {
	return &statusError{code: code, reply: protocol.Error{Code: pc, Message: message}}
}

func errTooLarge(limit int64) error {
	return status(http.StatusRequestEntityTooLarge, protocol.CodeTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
}

// httpStatus is the HTTP status of an error.
func httpStatus(err error) int {
	if st, ok := errors.AsType[*statusError](err); ok {
		return st.code
	}
	switch protocol.AsError(err).Code {
	case protocol.CodeBadArgument, protocol.CodeUnknownCommand:
		return http.StatusBadRequest
	case protocol.CodeUnauthorized:
		return http.StatusUnauthorized
	case protocol.CodeForbidden, protocol.CodeRefused:
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
		return http.StatusConflict // what the page is, and no fault of ours
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
