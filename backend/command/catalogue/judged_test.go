package catalogue

import (
	"slices"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// What a command declares decides how a call of it is judged. This table lists
// that for all commands, so that none is forgotten and none changes unnoticed.
func TestWhatTheRegistryKnowsOfEachCommand(t *testing.T) {
	kinds := map[string]protocol.ActionKind{
		"goto": protocol.ActionOpen, "newtab": protocol.ActionOpen, "eval": protocol.ActionEval, "edit": protocol.ActionEval,
		"cookies": protocol.ActionCookies, "storage": protocol.ActionCookies, "state": protocol.ActionCookies,
		"download": protocol.ActionDownload, "upload": protocol.ActionUpload, "clipboard": protocol.ActionClipboard, "permissions": protocol.ActionPermissions,
	}
	names := map[string][]string{
		"leaves": {"goto", "back", "forward", "closetab", "tab"},
		"by page": {
			"snapshot", "markdown", "find", "wait", "click", "hover", "fill", "type", "select", "check", "uncheck", "scroll",
			"press", "drag", "goto", "back", "forward", "reload",
		},
		"by hand":   {"closetab", "tab"},
		"nests":     {"chain", "run", "each"},
		"opens tab": {"newtab"},
		"throws":    {"eval"},
		"opens":     {"goto", "newtab"},
		"lists":     {"cookies", "storage", "terminal"},
		"first":     {"givetab", "cdp", "perf", "signins", "terminal", "upload"},
		"confirms":  {"givetab", "terminal"},
		"answers":   {"network"},
		"replaces":  {"record"},
		"doing":     {"click", "dblclick", "tap", "mouse", "press", "keydown", "keyup", "type", "fill", "dialog", "dialogs", "headers", "useragent", "style", "webmcp"},
	}
	found := map[string][]string{}
	for _, c := range (&commands{}).all() {
		if c.Kind != kinds[c.Name] {
			t.Errorf("%s is of the kind %q, not %q", c.Name, c.Kind, kinds[c.Name])
		}
		for what, is := range map[string]bool{
			"leaves": c.Leaves, "by page": c.ByPage, "by hand": c.ByHand, "nests": c.Nests, "opens tab": c.OpensTab, "throws": c.Throws,
			"opens": c.Opens != nil, "lists": c.ListsNames != nil, "first": c.First != nil, "answers": c.Answers != nil, "replaces": c.Replaces != nil, "confirms": c.Confirms != nil, "doing": c.Doing != nil,
		} {
			if is {
				found[what] = append(found[what], c.Name)
			}
		}
		if c.Run == nil {
			t.Errorf("%s does nothing", c.Name)
		}
		// For a typed argument, the page decides whether an approval shows it.
		for _, a := range c.Args {
			if a.Typed != (slices.Contains([]string{"fill", "type"}, c.Name) && a.Name == "value") {
				t.Errorf("%s: the argument %s is typed: %v", c.Name, a.Name, a.Typed)
			}
		}
	}
	for what, want := range names {
		slices.Sort(want)
		slices.Sort(found[what])
		if !slices.Equal(found[what], want) {
			t.Errorf("%s: %q, want %q", what, found[what], want)
		}
	}
}

// A command is found by its name and by its aliases, in the table and without
// it.
func TestLookup(t *testing.T) {
	table := Table()
	for _, s := range Specs() {
		for _, name := range append([]string{s.Name}, s.Aliases...) {
			one, ok := Lookup(name)
			two, err := table.Find(name)
			if !ok || err != nil || one.Name != s.Name || two.Name != s.Name {
				t.Errorf("%s: %v %s, %v %s", name, ok, one.Name, err, two.Name)
			}
		}
	}
	for _, find := range []func(string) (command.Spec, error){Find, table.Find} {
		if _, err := find("clik"); protocol.AsError(err).Code != protocol.CodeUnknownCommand || protocol.AsError(err).Hint != "did you mean click?" {
			t.Errorf("clik: %v", err)
		}
	}
}
