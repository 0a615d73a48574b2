package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// poolLine is a command that runs for each row. Its words, its command and its options are
// found before the values of a row are put in, so a value is always a part of one argument.
type poolLine struct {
	spec command.Spec
	req  protocol.CommandRequest
}

// readsOnly reports whether the command may run twice. To open an address is to read it, as
// HTTP says of GET. A routine may do anything.
func (l poolLine) readsOnly() bool {
	return l.spec.Name == "goto" || l.spec.Scope == protocol.ScopeRead && l.spec.Name != "run"
}

// columnPattern is ${column}, the form that routines and schedules have.
func columnPattern() *regexp.Regexp { return regexp.MustCompile(`\$\{([^{}]*)\}`) }

// readTable reads a CSV file whose first row names the columns.
func readTable(data []byte) (columns []string, rows [][]string, err error) {
	if !utf8.Valid(data) {
		return nil, nil, command.BadArgument("the rows are not UTF-8", "save the table as CSV in UTF-8")
	}
	all, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
	if err != nil {
		return nil, nil, command.BadArgument("reading the rows: "+err.Error(), "the file is CSV with commas, and its first row names the columns")
	}
	if len(all) < 2 {
		return nil, nil, command.BadArgument("the table has no rows", "its first row names the columns")
	}
	columns = all[0]
	for i, name := range columns {
		if strings.TrimSpace(name) == "" || slices.Contains(columns[:i], name) {
			return nil, nil, command.BadArgument(fmt.Sprintf("column %d is called %q, as none or another one is", i+1, name), "give each column a name of its own")
		}
	}
	return columns, all[1:], nil
}

// readLines reads commands, one a line, with columns for their arguments. Empty lines and
// those that begin with # are comments.
func readLines(text string, columns []string) ([]poolLine, error) {
	var lines []poolLine
	number := 0
	for text := range strings.Lines(text) {
		number++
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		l, err := readLine(text, columns)
		if err != nil {
			e := protocol.AsError(err)
			return nil, e.Saying(fmt.Sprintf("line %d of the commands: %s", number, e.Message))
		}
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil, command.BadArgument("there are no commands", "write one a line: goto ${url}")
	}
	return lines, nil
}

func readLine(text string, columns []string) (poolLine, error) {
	var l poolLine
	req, err := command.ParseLine(text, func(name string) (command.Spec, error) {
		spec, ok := catalogue.Lookup(name)
		if !ok {
			_, err := own().Find(name)
			if err == nil {
				err = command.BadArgument(name+" is no command of the browser", "`pilotfish help` lists them")
			}
			return spec, err
		}
		l.spec = spec
		return spec, nil
	})
	if err != nil {
		return l, err
	}
	l.req = req
	switch {
	case req.Command == "chain" || req.Command == "each": // a value would become a part of a line
		return l, command.BadArgument(req.Command+" runs other commands", "write its commands one by one")
	case req.Session != "" || req.Tab != "":
		return l, command.BadArgument("each row has a session and a tab of its own", "leave --session and --tab out")
	}
	for name, raw := range req.Args {
		if !slices.ContainsFunc(l.spec.Args, func(a command.Arg) bool { return a.Name == name }) {
			return l, command.BadArgument(fmt.Sprintf("%s has no option --%s", l.spec.Name, name), "usage: "+l.spec.Usage())
		}
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return l, fmt.Errorf("reading the argument %s: %w", name, err)
		}
		for _, place := range columnPattern().FindAllStringSubmatch(fmt.Sprint(value), -1) {
			if !slices.Contains(columns, place[1]) {
				return l, command.BadArgument(fmt.Sprintf("the rows have no column %.60q", place[1]), "they have: "+strings.Join(columns, ", "))
			}
		}
	}
	for _, a := range l.spec.Args {
		if a.Required && req.Args[a.Name] == nil {
			return l, command.BadArgument(strings.ToUpper(a.Name)+" is missing: "+a.Help, "usage: "+l.spec.Usage())
		}
	}
	return l, nil
}

// request returns the command for the values of a row. Files are those of this process, as
// everywhere on the command line.
func (l poolLine) request(values map[string]string) (protocol.CommandRequest, error) {
	req := l.req
	req.Args = map[string]json.RawMessage{}
	for _, a := range l.spec.Args {
		raw := l.req.Args[a.Name]
		if raw == nil {
			continue
		}
		// The words of a list stand one by one before a value with a comma, a line break or
		// a list of JSON in it comes in.
		var words []string
		text, list := "", json.Unmarshal(raw, &words) == nil
		if !list {
			if err := json.Unmarshal(raw, &text); err != nil {
				return req, fmt.Errorf("reading the argument %s: %w", a.Name, err)
			}
			switch a.Type {
			case command.Lines:
				words, list = strings.Split(text, "\n"), true
			case command.Paths:
				words, list = command.SplitPaths(text), true
			default:
				words = []string{text}
			}
		}
		for i, word := range words {
			words[i] = columnPattern().ReplaceAllStringFunc(word, func(place string) string { return values[place[2:len(place)-1]] })
			if a.Type == command.Path || a.Type == command.Paths {
				whole, err := filepath.Abs(strings.TrimSpace(words[i]))
				if err != nil {
					return req, fmt.Errorf("reading the path %s: %w", a.Name, err)
				}
				words[i] = whole
			}
		}
		var value any = words
		if !list {
			value = words[0]
		}
		var err error
		if req.Args[a.Name], err = json.Marshal(value); err != nil {
			return req, fmt.Errorf("writing the argument %s: %w", a.Name, err)
		}
	}
	return req, nil
}
