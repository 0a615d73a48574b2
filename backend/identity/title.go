package identity

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// longestTitle is how many characters a session's name may have.
const longestTitle = 64

// Title checks the name that a user gives a session, and returns it as it is shown.
func Title(title string) (string, error) {
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title == "":
		return "", protocol.NewError(protocol.CodeBadArgument, "the session has no name", "enter one")
	case utf8.RuneCountInString(title) > longestTitle:
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the name is longer than %d characters", longestTitle), "enter a shorter one")
	case strings.ContainsFunc(title, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == utf8.RuneError
	}):
		return "", protocol.NewError(protocol.CodeBadArgument, "the name has characters that cannot be seen", "enter it again")
	}
	return title, nil
}
