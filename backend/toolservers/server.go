package toolservers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
)

// Permission says whether agents get a server.
type Permission string

// The permissions.
const (
	Ask   Permission = "ask"
	Allow Permission = "allow"
	Deny  Permission = "deny"
)

// Limits of the list.
const (
	maxServers = 50
	maxFile    = 1 << 20  // bytes
	maxText    = 16 << 10 // bytes of one argument or value
	maxURL     = 2000     // bytes of an address
	maxParts   = 200      // arguments, variables or headers of one server
)

// Server is one of the user's MCP servers: a program that speaks on its standard streams
// (Command), or a server at an address that speaks streamable HTTP (URL). Exactly one of
// the two is set.
type Server struct {
	Name    string   `json:"name"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Env are the variables of a program. The values may be secrets.
	Env map[string]string `json:"env,omitempty"`
	// URL is the address of a server that is not started.
	URL string `json:"url,omitempty"`
	// Headers are sent with every request to URL.
	Headers []Header `json:"headers,omitempty"`
	// From is the program out of whose settings it came; empty when the user added it.
	From       string     `json:"from,omitempty"`
	Permission Permission `json:"permission"`
	// Tools are those that tasks use without a question, because the user answered
	// “Always”. They are forgotten when the permission is set to something but allow.
	Tools []string `json:"tools,omitempty"`
}

// Allows reports whether tasks use a tool of the server without a question.
func (s Server) Allows(tool string) bool { return slices.Contains(s.Tools, tool) }

// Header is one header of the requests to a server.
type Header struct {
	Name string `json:"name"`
	// Value is sent. It is empty in the list on disk, and in what Store.List returns,
	// when the Keeper has it (Secret); Offer.For and Store.Resolve fill it in.
	Value string `json:"value,omitempty"`
	// Secret: the value is a credential and the Keeper has it.
	Secret bool `json:"secret,omitempty"`
}

// Remote reports whether the server is at an address, and not a program to start.
func (s Server) Remote() bool { return s.URL != "" }

// Origin returns the origin of the server's address; empty for a program.
func (s Server) Origin() string {
	u, err := url.Parse(s.URL)
	if err != nil || !s.Remote() {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// Shown returns the command line or the address for the user, with what looks like a
// credential in it masked.
func (s Server) Shown() string {
	if s.Remote() {
		return redact.Text(s.URL)
	}
	return redact.Text(strings.Join(append([]string{s.Command}, s.Args...), " "))
}

// Variables returns the names of the variables, sorted. The values are shown nowhere.
func (s Server) Variables() []string {
	names := make([]string, 0, len(s.Env))
	for name := range s.Env {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// HeaderNames returns the names of the headers. The values are shown nowhere.
func (s Server) HeaderNames() []string {
	names := make([]string, 0, len(s.Headers))
	for _, header := range s.Headers {
		names = append(names, header.Name)
	}
	return names
}

// shortestMasked is the length in bytes from which a value is masked: a shorter one is no
// secret, and is a part of ordinary words.
const shortestMasked = 6

// Mask masks the values of the server's variables and of its secret headers in a text
// that the server wrote.
func (s Server) Mask(text string) string {
	mask := func(value string) {
		if len(value) >= shortestMasked {
			text = strings.ReplaceAll(text, value, "(masked)")
		}
	}
	for _, value := range s.Env {
		mask(value)
	}
	for _, header := range s.Headers {
		if header.Secret {
			mask(header.Value)
		}
	}
	return text
}

// Same reports whether two servers start the same program in the same way, or are at the
// same address and get the same headers. A new value of a secret header is no change.
func (s Server) Same(other Server) bool {
	form := func(s Server) []byte {
		headers := s.Headers
		s.Headers = nil
		for _, header := range headers {
			if header.Secret {
				header.Value = ""
			}
			s.Headers = append(s.Headers, header)
		}
		if len(s.Args) == 0 {
			s.Args = nil
		}
		if len(s.Env) == 0 {
			s.Env = nil
		}
		text, _ := json.Marshal([]any{s.Command, s.Args, s.Env, s.URL, s.Headers}) // texts can always be encoded
		return text
	}
	return bytes.Equal(form(s), form(other))
}

func bad(message, hint string) error {
	return protocol.NewError(protocol.CodeBadArgument, message, hint)
}

func (s Server) check() error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`).MatchString(s.Name) || s.Name == "pilotfish" {
		return bad("this is no name for a server", "use letters, digits, - and _, at most 40; pilotfish is the browser's own")
	}
	if s.Remote() {
		return s.checkRemote()
	}
	if len(s.Headers) > 0 {
		return bad(s.Name+" has headers and no address", "give variables to a program, and headers to a server at an address")
	}
	if s.Command == "" || len(s.Args) > maxParts || len(s.Env) > maxParts {
		return bad(s.Name+" has no command, or too many arguments or variables", "give the command line that starts it, or its address")
	}
	for _, text := range append(slices.Clone(s.Args), s.Command) {
		if len(text) > maxText || strings.ContainsFunc(text, unicode.IsControl) {
			return bad("the command line of "+s.Name+" has a part that is too long, or control characters in it", "correct it")
		}
	}
	for name, value := range s.Env {
		if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`).MatchString(name) || strings.HasPrefix(name, "PILOTFISH_") {
			return bad(s.Name+" has a variable whose name is not allowed", "use letters, digits and _; names that begin with PILOTFISH_ are Pilotfish's own")
		}
		if len(value) > maxText || strings.ContainsRune(value, 0) {
			return bad("the value of "+name+" of "+s.Name+" is too long, or not text", "correct it")
		}
	}
	return nil
}

// checkRemote checks a server at an address. Braces are refused in the address because
// agents replace ${NAME} in it.
func (s Server) checkRemote() error {
	if s.Command != "" || len(s.Args) > 0 || len(s.Env) > 0 {
		return bad(s.Name+" has an address and a command", "give one of the two: a server at an address has headers, and no variables")
	}
	u, err := url.Parse(s.URL)
	plain := !strings.ContainsFunc(s.URL, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("{}<>\"`\\^|", r) })
	if err != nil || !plain || len(s.URL) > maxURL || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return bad("the address of "+s.Name+" is no address of a server", "give one such as https://mcp.example.com/mcp")
	}
	if u.User != nil {
		return bad("the address of "+s.Name+" has a login in it", "give the login as a header: Authorization=Basic …")
	}
	if len(s.Headers) > maxParts {
		return bad(s.Name+" has too many headers", fmt.Sprintf("give at most %d", maxParts))
	}
	seen := map[string]bool{}
	for _, header := range s.Headers {
		lower := strings.ToLower(header.Name)
		switch {
		case !regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$").MatchString(header.Name):
			return bad(s.Name+" has a header whose name is not allowed", "name it as the server does, such as Authorization or X-Api-Key")
		case slices.Contains(ownHeaders(), lower) || strings.HasPrefix(lower, "mcp-") || strings.HasPrefix(lower, "sec-"):
			return bad("the agent itself writes the header "+header.Name, "use a header of the server, such as Authorization or X-Api-Key")
		case seen[lower]:
			return bad(s.Name+" has the header "+header.Name+" twice", "give it once")
		case len(header.Value) > maxText || strings.ContainsFunc(header.Value, func(r rune) bool { return r < ' ' || r > '~' }) || strings.TrimSpace(header.Value) != header.Value:
			return bad("the value of "+header.Name+" of "+s.Name+" is no value of a header", "give one line of plain letters, digits and signs, such as Bearer abc123")
		case header.Value == "" && !header.Secret:
			return bad("the value of "+header.Name+" of "+s.Name+" is missing", "give it, or leave the header out")
		case header.Secret && u.Scheme == "http" && !loopback(u.Hostname()):
			return bad("the header "+header.Name+" of "+s.Name+" is a credential, and everybody on the way could read it", "use an address that begins with https://")
		}
		seen[lower] = true
	}
	return nil
}

// ownHeaders are those that say how a request is read, or that a client writes.
func ownHeaders() []string {
	return []string{"accept", "connection", "content-encoding", "content-length", "content-type", "cookie", "host", "keep-alive", "last-event-id", "origin", "proxy-authorization", "referer", "te", "trailer", "transfer-encoding", "upgrade"}
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// isCredential reports whether the value of a header lets its holder act as the user.
func (h Header) isCredential() bool {
	return h.Secret || redact.Header(h.Name) || redact.Text(h.Value) != h.Value
}
