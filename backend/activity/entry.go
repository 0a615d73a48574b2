package activity

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// hidden replaces text that must not be recorded.
const hidden = "•••"

// Entry makes the entry of a finished command. at is when it was given. Of the
// reply's text, only the first line is recorded: the content of pages should
// not be copied to disk.
func (l *Log) Entry(at time.Time, actor protocol.Actor, session protocol.SessionName, req protocol.CommandRequest, reply protocol.CommandReply) protocol.ActivityEntry {
	e := protocol.ActivityEntry{
		Time: at.UTC(), Actor: actor, Session: session, Tab: reply.Tab, Command: short(req.Command),
		OK: reply.OK, DurationMS: reply.DurationMS,
	}
	if e.Tab == "" {
		e.Tab = protocol.TabID(short(string(req.Tab)))
	}
	if len(req.Args) > 0 {
		e.Args = make(map[string]string, len(req.Args))
	}
	for name, raw := range req.Args {
		switch {
		case len(e.Args) >= maxArgs:
		case l.config.Secret != nil && l.config.Secret(req.Command, name):
			e.Args[short(name)] = hidden
		default:
			e.Args[short(name)] = short(plain(raw))
		}
	}
	text := reply.Text
	if reply.Error != nil {
		e.Code, text = reply.Error.Code, reply.Error.Message
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	e.Summary = short(first)
	return e
}

// Plain returns an entry whose texts are bounded and without secrets and control
// characters, for what happened that is not a command.
func Plain(e protocol.ActivityEntry) protocol.ActivityEntry {
	e.Time, e.Tab = e.Time.UTC(), protocol.TabID(short(string(e.Tab)))
	e.Command, e.Summary = short(e.Command), short(e.Summary)
	e.Actor.Name, e.Actor.Title = short(e.Actor.Name), short(e.Actor.Title)
	if len(e.Args) > 0 {
		args := make(map[string]string, len(e.Args))
		for name, value := range e.Args {
			args[short(name)] = short(value)
		}
		e.Args = args
	}
	return e
}

// maxArgs is the limit of the arguments in an entry. No command has as many.
const maxArgs = 40

// plain returns an argument as a user would type it.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Secrets in a URL: a user name and password before the host, and the values of
// parameters with a name like token or password.
var (
	userInfo  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(://)[^/\s@]*@`) })
	parameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)([?&#;](?:[a-z0-9_.-]*(?:token|secret|password|passwd|api_?key|signature)|auth|code|otp|sig|sid|key|pwd|pass)=)[^&#\s"']+`)
	})
)

// short removes secrets and control characters from a text and shortens it.
func short(s string) string {
	// Text that is cut off anyway need not be searched, but a secret must be found
	// before the cut could split it.
	if limit := 16 * activityText; len(s) > limit {
		s = s[:limit]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == utf8.RuneError, protocol.Invisible(r):
			return -1
		}
		return r
	}, s)
	s = userInfo().ReplaceAllString(s, "${1}"+hidden+"@")
	s = parameter().ReplaceAllString(s, "${1}"+hidden)
	if utf8.RuneCountInString(s) <= activityText {
		return s
	}
	return string([]rune(s)[:activityText-1]) + "…"
}
