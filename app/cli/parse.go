package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// invocation is a command with its arguments, checked.
type invocation struct {
	spec    spec
	values  map[string]string // by the name of the argument
	tab     protocol.TabID
	session protocol.SessionName
	timeout time.Duration // 0 means the default
	max     int           // of the printed text, in characters; 0 means all
	json    bool
	help    bool
}

// all are the commands: the browser's, then the builtins.
func (p *program) all() []spec {
	specs := registry()
	for _, b := range builtins() {
		specs = append(specs, b.spec)
	}
	return specs
}

// find returns the command with a name or alias. Only a name that there is not
// costs a look at all of them.
func (p *program) find(name string) (spec, error) {
	for _, b := range builtins() {
		if b.name == name || slices.Contains(b.aliases, name) {
			return b.spec, nil
		}
	}
	if d, ok := catalogue.Lookup(name); ok {
		return declaredSpec(d), nil
	}
	var names []string
	for _, s := range p.all() {
		if !s.hidden {
			names = append(names, s.name)
			names = append(names, s.aliases...)
		}
	}
	hint := "`pilotfish help` lists the commands"
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean `pilotfish " + near + "`?"
	}
	return spec{}, protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("there is no command %q", name), hint)
}

// bad is the error of a wrong argument.
func bad(format string, args ...any) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf(format, args...), "")
}

// parse reads the command line. Options may stand anywhere; after "--" there are
// none. The invocation is returned with an error too: it says how to report it.
// Every error says what to do.
func (p *program) parse(argv []string) (invocation, error) {
	in, err := p.read(argv)
	if e := protocol.AsError(err); e != nil && e.Hint == "" && len(e.Next) == 0 {
		return in, protocol.NewError(e.Code, e.Message, in.advice())
	}
	return in, err
}

// advice is an example of the command, or its usage.
func (in *invocation) advice() string {
	switch {
	case len(in.spec.examples) > 0:
		return "for example: " + in.spec.examples[0]
	case in.spec.name != "":
		return "usage: pilotfish " + usage(in.spec)
	}
	return "`pilotfish help` lists commands and options"
}

func (p *program) read(argv []string) (invocation, error) {
	in := invocation{values: map[string]string{}}
	// Asked for before anything can be wrong, so that the error is reported so.
	in.json = slices.Contains(beforeDashes(argv), "--json")
	var places []string
	options := globals()
	for len(argv) > 0 {
		word := argv[0]
		argv = argv[1:]
		switch {
		case word == "--":
			places = append(places, argv...)
			argv = nil
		case word == "--version" && in.spec.name == "" && len(places) == 0:
			places = append(places, "version")
		case isOption(word):
			var err error
			if argv, err = in.option(options, word, argv); err != nil {
				return in, err
			}
			continue
		default:
			places = append(places, word)
		}
		if in.spec.name == "" && len(places) > 0 {
			found, err := p.find(places[0])
			if err != nil {
				return in, err
			}
			in.spec, places = found, places[1:]
			options = slices.Concat(found.flags(), options) // its own come before those of all
		}
	}
	if in.help {
		return in, nil
	}
	if err := in.place(places); err != nil {
		return in, err
	}
	err := in.common()
	return in, err
}

func beforeDashes(argv []string) []string {
	if i := slices.Index(argv, "--"); i >= 0 {
		return argv[:i]
	}
	return argv
}

// isOption tells options from a lone dash and from negative numbers.
func isOption(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	_, err := strconv.ParseFloat(word, 64)
	return err != nil
}

// option reads one option, and its value from the words behind it.
func (in *invocation) option(options []arg, word string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	if !strings.HasPrefix(word, "--") {
		name = short(options, word[1:])
	}
	i := slices.IndexFunc(options, func(a arg) bool { return a.name == name })
	if i < 0 {
		names := make([]string, len(options))
		for i, a := range options {
			names[i] = "--" + a.name
		}
		hint := "`pilotfish help` lists the options"
		if in.spec.name != "" {
			hint = "`pilotfish help " + in.spec.name + "` lists its options"
		}
		if near := spelling.Nearest(word, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, protocol.NewError(protocol.CodeBadArgument, "there is no option "+word, hint)
	}
	a := options[i]
	if a.kind == kindBool {
		if !given {
			value = "true"
		}
	} else if !given {
		if len(rest) == 0 {
			return nil, bad("the option --%s needs a value", a.name)
		}
		value, rest = rest[0], rest[1:]
	}
	err := check(a, value)
	if err != nil {
		return nil, err
	}
	switch a.name {
	case "json":
		in.json, err = command.ReadBoolean(value)
	case "help":
		in.help, err = command.ReadBoolean(value)
	default:
		in.values[a.name] = value
	}
	return rest, err
}

// place gives the words without a name to the arguments, in their order.
func (in *invocation) place(words []string) error {
	places := in.spec.places()
	for i, a := range places {
		if len(words) == 0 {
			if a.required {
				return in.usageError("%s is missing: %s", upper(a.name), a.help)
			}
			continue
		}
		if was, given := in.values[a.name]; given {
			if a.name == "tab" && sameTab(was, words[0]) {
				words = words[1:]
				continue
			}
			return in.usageError("%s is given twice: as --%s and as %q", a.name, a.name, words[0])
		}
		value := words[0]
		words = words[1:]
		if a.rest && i == len(places)-1 {
			by := " "
			if a.lines {
				by = "\n"
			}
			value, words = strings.Join(append([]string{value}, words...), by), nil
		}
		if err := check(a, value); err != nil {
			return err
		}
		in.values[a.name] = value
	}
	if len(words) > 0 && in.spec.name != "" {
		return in.usageError("%q is one argument too many", words[0])
	}
	for _, a := range in.spec.flags() {
		if _, given := in.values[a.name]; a.required && !given {
			return in.usageError("--%s is missing: %s", a.name, a.help)
		}
	}
	return nil
}

// sameTab reports whether two words name the same tab, as "t2" and "2" do.
func sameTab(a, b string) bool {
	first, err := protocol.ParseTabID(a)
	if err != nil {
		return false
	}
	second, err := protocol.ParseTabID(b)
	return err == nil && first == second
}

func (in *invocation) usageError(format string, args ...any) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf(format, args...), "usage: pilotfish "+usage(in.spec))
}

// common reads the options of every command.
func (in *invocation) common() error {
	var err error
	if value, given := in.values["tab"]; given && !in.owns("tab") {
		if in.tab, err = protocol.ParseTabID(value); err != nil {
			return err
		}
		delete(in.values, "tab")
	}
	if value, given := in.values["session"]; given && !in.owns("session") {
		if in.session, err = protocol.ParseSessionName(value); err != nil {
			return err
		}
		delete(in.values, "session")
	}
	if value, given := in.values["timeout"]; given && !in.owns("timeout") {
		if in.timeout, err = duration(value); err != nil {
			return err
		}
		delete(in.values, "timeout")
	}
	if value, given := in.values["max"]; given && !in.owns("max") {
		if in.max, err = strconv.Atoi(value); err != nil || in.max < 1 {
			return bad("--max is a number of characters, not %q", value)
		}
		delete(in.values, "max")
	}
	return nil
}

// owns reports whether the command has an argument of its own of this name: the
// `tab` of `closetab t2` is not the option.
func (in *invocation) owns(name string) bool {
	return slices.ContainsFunc(in.spec.args, func(a arg) bool { return a.name == name })
}

// duration reads "10s", "500ms", or a number of seconds.
func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		seconds, numberErr := strconv.ParseFloat(value, 64)
		if numberErr != nil {
			return 0, bad("%q is not a time; write 500ms, 10s or 2m", value)
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < time.Millisecond || d > protocol.MaxCommandTimeout {
		return 0, bad("the timeout %s is not between 1ms and %s", value, protocol.MaxCommandTimeout)
	}
	return d, nil
}

// check refuses a value that is not of the argument's type.
func check(a arg, value string) error {
	var err error
	what := ""
	switch a.kind {
	case kindInt:
		_, err = strconv.ParseInt(value, 10, 64)
		what = "a whole number"
	case kindNumber:
		_, err = strconv.ParseFloat(value, 64)
		what = "a number"
	case kindBool:
		_, err = command.ReadBoolean(value)
		what = "true or false"
	case kindString, kindPath, kindPaths:
	}
	if err != nil {
		return bad("%s must be %s, not %q", a.name, what, value)
	}
	if len(a.choices) > 0 && !slices.Contains(a.choices, value) {
		hint := ""
		if near := spelling.Nearest(value, a.choices); near != "" {
			hint = "did you mean " + near + "?"
		}
		return protocol.NewError(protocol.CodeBadArgument,
			fmt.Sprintf("%s must be one of %s, not %q", a.name, strings.Join(a.choices, ", "), value), hint)
	}
	return nil
}

// payload are the arguments as the backend wants them.
func (in *invocation) payload() (map[string]json.RawMessage, error) {
	payload := map[string]json.RawMessage{}
	for _, a := range in.spec.args {
		value, given := in.values[a.name]
		if !given {
			continue
		}
		var text []byte
		var err error
		switch a.kind {
		case kindInt, kindNumber:
			text, err = json.Marshal(json.Number(value))
		case kindBool:
			yes, parseErr := command.ReadBoolean(value)
			if parseErr != nil {
				return nil, fmt.Errorf("reading --%s: %w", a.name, parseErr)
			}
			text, err = json.Marshal(yes)
		case kindPath:
			if value, err = filepath.Abs(strings.TrimSpace(value)); err != nil {
				return nil, fmt.Errorf("reading the path %s: %w", a.name, err)
			}
			text, err = json.Marshal(value)
		case kindPaths:
			var paths []string
			if paths, err = absolute(value); err != nil {
				return nil, fmt.Errorf("reading the paths %s: %w", a.name, err)
			}
			text, err = json.Marshal(paths)
		default:
			text, err = json.Marshal(value)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the argument %s: %w", a.name, err)
		}
		payload[a.name] = text
	}
	return payload, nil
}

// absolute are the files that the words of the caller mean, one on a line, as the
// app can read them.
func absolute(words string) ([]string, error) {
	var paths []string
	for word := range strings.SplitSeq(words, "\n") {
		for _, path := range command.SplitPaths(word) {
			whole, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			paths = append(paths, whole)
		}
	}
	return paths, nil
}
