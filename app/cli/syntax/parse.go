package syntax

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

// Invocation is a parsed and checked command with its arguments.
type Invocation struct {
	Spec    Spec
	Values  map[string]string // by argument name
	Tab     protocol.TabID
	Session protocol.SessionName
	Timeout time.Duration // 0 means the default
	Max     int           // of the printed text, in characters; 0 means no limit
	JSON    bool
	Help    bool
	Program []string // the program and its arguments, where Spec.Program is set
}

// Commands are the commands of the command line itself, in the order of the help.
// The browser's commands, which the registry declares, need not be listed in it.
type Commands []Spec

// All returns all commands: the browser's, then its own.
func (c Commands) All() []Spec { return append(registry(), c...) }

// Find returns the command with a name or alias. It goes through all commands
// only for an unknown name.
func (c Commands) Find(name string) (Spec, error) {
	for _, own := range c {
		if own.Name == name || slices.Contains(own.Aliases, name) {
			return own, nil
		}
	}
	if d, ok := catalogue.Lookup(name); ok {
		return declaredSpec(d), nil
	}
	var names []string
	for _, s := range c.All() {
		if !s.Hidden {
			names = append(names, s.Name)
			names = append(names, s.Aliases...)
		}
	}
	hint := "`pilotfish help` lists the commands"
	meant := c.doing(name)
	if near := spelling.Nearest(name, names); near != "" && len(meant) == 0 {
		meant = []string{near}
	}
	if len(meant) > 0 {
		hint = "did you mean `pilotfish " + strings.Join(meant, "` or `pilotfish ") + "`?"
	}
	return Spec{}, protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("there is no command %q", name), hint)
}

// doing returns the commands whose first argument may be a given word: a user who
// types quit means app quit.
func (c Commands) doing(word string) (lines []string) {
	for _, s := range c {
		if len(s.Args) > 0 && !s.Args[0].Flag && !s.Hidden && slices.Contains(s.Args[0].Choices, word) {
			lines = append(lines, s.Name+" "+word)
		}
	}
	return lines
}

// Bad is the error for a wrong argument.
func Bad(format string, args ...any) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf(format, args...), "")
}

// Parse parses the command line. Options may be anywhere before "--". The
// invocation is also returned with an error, because it says how to report it.
// Every error says what to do.
func (c Commands) Parse(argv []string) (Invocation, error) {
	in, err := c.read(argv)
	if e := protocol.AsError(err); e != nil && e.Hint == "" && len(e.Next) == 0 {
		return in, protocol.NewError(e.Code, e.Message, in.advice())
	}
	return in, err
}

// advice returns an example of the command, or its usage.
func (in *Invocation) advice() string {
	switch {
	case len(in.Spec.Examples) > 0:
		return "for example: " + in.Spec.Examples[0]
	case in.Spec.Name != "":
		return "usage: pilotfish " + usage(in.Spec)
	}
	return "`pilotfish help` lists commands and options"
}

func (c Commands) read(argv []string) (Invocation, error) {
	in := Invocation{Values: map[string]string{}}
	// Read --json before anything can fail, so that an error is reported as JSON.
	in.JSON = slices.Contains(beforeDashes(argv), "--json")
	var places []string
	options := Globals()
	for len(argv) > 0 {
		word := argv[0]
		argv = argv[1:]
		switch {
		case word == "--":
			places = append(places, argv...)
			argv = nil
		case word == "--version" && in.Spec.Name == "" && len(places) == 0:
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
		if in.Spec.Name == "" && len(places) > 0 {
			found, err := c.Find(places[0])
			if err != nil {
				return in, err
			}
			in.Spec, places = found, places[1:]
			options = slices.Concat(found.Flags(), options) // the command's own options come before the global ones
			if found.Program {
				return in.program(argv)
			}
		}
	}
	if in.Help {
		return in, nil
	}
	if err := in.place(places); err != nil {
		return in, err
	}
	err := in.common()
	return in, err
}

// program takes the words of a command of the form `pilotfish NAME [--] PROGRAM ...`.
func (in Invocation) program(words []string) (Invocation, error) {
	in.JSON = false // an option of the program
	switch {
	case len(words) > 0 && (words[0] == "--help" || words[0] == "-h"):
		in.Help = true
		return in, nil
	case len(words) > 0 && words[0] == "--":
		words = words[1:]
	}
	if len(words) == 0 {
		err := in.UsageError("PROGRAM is missing: what to start")
		return in, err
	}
	in.Program = words
	return in, nil
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

// option parses one option, with its value from the following words.
func (in *Invocation) option(options []Arg, word string, rest []string) ([]string, error) {
	name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	if !strings.HasPrefix(word, "--") {
		name = short(options, word[1:])
	}
	i := slices.IndexFunc(options, func(a Arg) bool { return a.Name == name })
	if i < 0 {
		names := make([]string, len(options))
		for i, a := range options {
			names[i] = "--" + a.Name
		}
		hint := "`pilotfish help` lists the options"
		if in.Spec.Name != "" {
			hint = "`pilotfish help " + in.Spec.Name + "` lists its options"
		}
		if near := spelling.Nearest(word, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, protocol.NewError(protocol.CodeBadArgument, "there is no option "+word, hint)
	}
	a := options[i]
	if a.Kind == KindBool {
		if !given {
			value = "true"
		}
	} else if !given {
		if len(rest) == 0 {
			return nil, Bad("the option --%s needs a value", a.Name)
		}
		value, rest = rest[0], rest[1:]
	}
	err := check(a, value)
	if err != nil {
		return nil, err
	}
	switch a.Name {
	case "json":
		in.JSON, err = command.ReadBoolean(value)
	case "help":
		in.Help, err = command.ReadBoolean(value)
	default:
		in.Values[a.Name] = value
	}
	return rest, err
}

// place assigns the words without a name to the positional arguments, in order.
func (in *Invocation) place(words []string) error {
	places := in.Spec.Places()
	for i, a := range places {
		if len(words) == 0 {
			if a.Required {
				return in.UsageError("%s is missing: %s", upper(a.Name), a.Help)
			}
			continue
		}
		if was, given := in.Values[a.Name]; given {
			if a.Name == "tab" && sameTab(was, words[0]) {
				words = words[1:]
				continue
			}
			return in.UsageError("%s is given twice: as --%s and as %q", a.Name, a.Name, words[0])
		}
		value := words[0]
		words = words[1:]
		if a.Rest && i == len(places)-1 {
			by := " "
			if a.Lines {
				by = "\n"
			}
			value, words = strings.Join(append([]string{value}, words...), by), nil
		}
		if err := check(a, value); err != nil {
			return err
		}
		in.Values[a.Name] = value
	}
	if len(words) > 0 && in.Spec.Name != "" {
		return in.UsageError("%q is one argument too many", words[0])
	}
	for _, a := range in.Spec.Flags() {
		if _, given := in.Values[a.Name]; a.Required && !given {
			return in.UsageError("--%s is missing: %s", a.Name, a.Help)
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

// UsageError is the error for a wrong argument, with the usage of the command.
func (in *Invocation) UsageError(format string, args ...any) error {
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf(format, args...), "usage: pilotfish "+usage(in.Spec))
}

// common parses the global options.
func (in *Invocation) common() error {
	var err error
	if value, given := in.Values["tab"]; given && !in.owns("tab") {
		if in.Tab, err = protocol.ParseTabID(value); err != nil {
			return err
		}
		delete(in.Values, "tab")
	}
	if value, given := in.Values["session"]; given && !in.owns("session") {
		if in.Session, err = protocol.ParseSessionName(value); err != nil {
			return err
		}
		delete(in.Values, "session")
	}
	if value, given := in.Values["timeout"]; given && !in.owns("timeout") {
		if in.Timeout, err = duration(value); err != nil {
			return err
		}
		delete(in.Values, "timeout")
	}
	if value, given := in.Values["max"]; given && !in.owns("max") {
		if in.Max, err = strconv.Atoi(value); err != nil || in.Max < 1 {
			return Bad("--max is a number of characters, not %q", value)
		}
		delete(in.Values, "max")
	}
	return nil
}

// owns reports whether the command has its own argument of this name: the `tab`
// of `closetab t2` is not the global option.
func (in *Invocation) owns(name string) bool {
	return slices.ContainsFunc(in.Spec.Args, func(a Arg) bool { return a.Name == name })
}

// duration parses "10s", "500ms", or a number of seconds.
func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		seconds, numberErr := strconv.ParseFloat(value, 64)
		if numberErr != nil {
			return 0, Bad("%q is not a time; write 500ms, 10s or 2m", value)
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < time.Millisecond || d > protocol.MaxCommandTimeout {
		return 0, Bad("the timeout %s is not between 1ms and %s", value, protocol.MaxCommandTimeout)
	}
	return d, nil
}

// check returns an error for a value that is not of the argument's type.
func check(a Arg, value string) error {
	var err error
	what := ""
	switch a.Kind {
	case KindInt:
		_, err = strconv.ParseInt(value, 10, 64)
		what = "a whole number"
	case KindNumber:
		_, err = strconv.ParseFloat(value, 64)
		what = "a number"
	case KindBool:
		_, err = command.ReadBoolean(value)
		what = "true or false"
	case KindString, KindPath, KindPaths:
	}
	if err != nil {
		return Bad("%s must be %s, not %q", a.Name, what, value)
	}
	if len(a.Choices) > 0 && !slices.Contains(a.Choices, value) {
		hint := ""
		if near := spelling.Nearest(value, a.Choices); near != "" {
			hint = "did you mean " + near + "?"
		}
		return protocol.NewError(protocol.CodeBadArgument,
			fmt.Sprintf("%s must be one of %s, not %q", a.Name, strings.Join(a.Choices, ", "), value), hint)
	}
	return nil
}

// Payload returns the arguments in the form that the backend expects.
func (in *Invocation) Payload() (map[string]json.RawMessage, error) {
	payload := map[string]json.RawMessage{}
	for _, a := range in.Spec.Args {
		value, given := in.Values[a.Name]
		if !given {
			continue
		}
		var text []byte
		var err error
		switch a.Kind {
		case KindInt, KindNumber:
			text, err = json.Marshal(json.Number(value))
		case KindBool:
			yes, parseErr := command.ReadBoolean(value)
			if parseErr != nil {
				return nil, fmt.Errorf("reading --%s: %w", a.Name, parseErr)
			}
			text, err = json.Marshal(yes)
		case KindPath:
			if value, err = filepath.Abs(strings.TrimSpace(value)); err != nil {
				return nil, fmt.Errorf("reading the path %s: %w", a.Name, err)
			}
			text, err = json.Marshal(value)
		case KindPaths:
			var paths []string
			if paths, err = absolute(value); err != nil {
				return nil, fmt.Errorf("reading the paths %s: %w", a.Name, err)
			}
			text, err = json.Marshal(paths)
		default:
			text, err = json.Marshal(value)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the argument %s: %w", a.Name, err)
		}
		payload[a.Name] = text
	}
	return payload, nil
}

// absolute returns the absolute paths of the files in words, which has one word
// per line, so that the app can read the files.
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
