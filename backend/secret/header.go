package secret

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// headerPattern accepts the name of a header.
func headerPattern() *regexp.Regexp {
	return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
}

// fixedHeaders are those that the browser writes itself, or that say how a request is
// read: a value of the user would break requests or reach the wrong server.
func fixedHeaders() []string {
	return []string{"connection", "content-encoding", "content-length", "cookie", "host", "keep-alive", "origin", "proxy-authorization", "referer", "te", "trailer", "transfer-encoding", "upgrade"}
}

// headerName checks the name of the header of a secret.
func headerName(name string) error {
	lower := strings.ToLower(name)
	if !headerPattern().MatchString(name) {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.80q is no name of a header", name), "name it as the site does, such as X-Api-Key or Authorization")
	}
	if slices.Contains(fixedHeaders(), lower) || strings.HasPrefix(lower, "sec-") {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the browser itself writes the header %s", name), "use a header of the site, such as X-Api-Key or Authorization")
	}
	return nil
}

// headerValue checks the value of a header.
func headerValue(value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) || strings.TrimSpace(value) != value {
		return protocol.NewError(protocol.CodeBadArgument, "the value of a header has one line of plain letters, digits and signs", "give the value as the site shows it, such as Bearer abc123")
	}
	return nil
}

// parts returns the value of a secret, and what follows the scheme in the value of a
// header: a page may show the token of "Bearer abc" alone.
func parts(one protocol.Secret, value string) []string {
	if _, token, found := strings.Cut(value, " "); found && one.Kind == protocol.SecretHeader {
		return []string{value, token}
	}
	return []string{value}
}
