package command

import "pilotfish/backend/protocol"

// Arguments that several commands have.
func waitArg() Arg {
	return Arg{
		Name: "wait", Type: String, Flag: true, Choices: []string{"load", "dom", "commit"}, Default: "load",
		Help: "how long to wait: until everything has loaded (load), the document is parsed (dom), or the page begins (commit)",
	}
}

// declared are the commands in groups, in the order of the help. They are
// functions and no variables, so that nobody can change the registry, and so that
// one command of the command line costs no more than the groups up to its own.
func declared() []func() []command {
	return []func() []command{
		navigationCommands, lookCommands, actCommands, pageCommands, tabGroupCommands, stateCommands,
		emulationCommands, watchingCommands, recordingCommands, batchCommands, toolCommands, siteRuleCommands,
	}
}

// commands are all of them.
func commands() []command {
	var all []command
	for _, group := range declared() {
		all = append(all, group()...)
	}
	return all
}

// navigationCommands go somewhere, or are about tabs.
func navigationCommands() []command {
	act, read := protocol.ScopeAct, protocol.ScopeRead
	return []command{
		{Spec: Spec{
			Name: "goto", Aliases: []string{"open", "navigate", "go"}, Scope: act,
			Summary:  "open an address in the tab and wait until it is loaded",
			Help:     "An address without http:// gets https://, or http:// on this machine. The reply gives the final address and the HTTP status.",
			Args:     []Arg{{Name: "url", Type: String, Required: true, Help: "the address"}, waitArg()},
			Returns:  "tab, url, title, status",
			Examples: []string{"goto example.com", "goto localhost:3000/login --wait dom"},
		}, tab: ownTab, run: runGoto},
		{Spec: Spec{
			Name: "back", Scope: act, Summary: "go one page back", Args: []Arg{waitArg()},
			Returns: "tab, url, title", Examples: []string{"back"},
		}, tab: ownTab, run: runBack},
		{Spec: Spec{
			Name: "forward", Aliases: []string{"fwd"}, Scope: act, Summary: "go one page forward", Args: []Arg{waitArg()},
			Returns: "tab, url, title", Examples: []string{"forward"},
		}, tab: ownTab, run: runForward},
		{Spec: Spec{
			Name: "reload", Aliases: []string{"refresh"}, Scope: act, Summary: "load the page again, also after a crash", Args: []Arg{waitArg()},
			Returns: "tab, url, title, status", Examples: []string{"reload"},
		}, tab: ownTab, run: runReload},
		{Spec: Spec{
			Name: "url", Scope: read, Summary: "print the tab's address",
			Returns: "tab, url, title", Examples: []string{"url", "url --tab t2"},
		}, tab: anyTab, run: runURL},
		{Spec: Spec{
			Name: "title", Scope: read, Summary: "print the page's title",
			Returns: "tab, url, title", Examples: []string{"title"},
		}, tab: anyTab, run: runTitle},
		{Spec: Spec{
			Name: "text", Aliases: []string{"read"}, Scope: read,
			Summary: "print the visible text of the page, line by line",
			Args: []Arg{{
				Name: "max", Type: Integer, Flag: true, Min: 1, Max: protocol.TextLimit, Default: "200000",
				Help: "at most so many characters; the reply gives the total",
			}},
			Returns: "url, title, text, length", Examples: []string{"text", "text --max 4000"},
		}, tab: ownTab, run: runText},
		{Spec: Spec{
			Name: "tabs", Scope: read, Summary: "list the open tabs",
			Help:    "* marks the tab in front of its window, ! one that crashed.",
			Returns: "the tabs", Examples: []string{"tabs"},
		}, tab: noTab, run: runTabs},
		{Spec: Spec{
			Name: "tab", Aliases: []string{"activate", "focus-tab"}, Scope: act, Summary: "bring a tab to the front of its window",
			Args:    []Arg{{Name: "tab", Type: TabArg, Help: "the tab; your own if left out"}},
			Returns: "the tab", Examples: []string{"tab t2"},
		}, tab: ownTab, run: runTab},
		{Spec: Spec{
			Name: "newtab", Aliases: []string{"new", "tab-new"}, Scope: act, Summary: "open a tab, empty or with a page",
			Help:    "An agent's tab opens in the background, a user's in front.",
			Args:    []Arg{{Name: "url", Type: String, Help: "the address; an empty tab without it"}, {Name: "front", Type: Boolean, Flag: true, Help: "open it in front"}, waitArg()},
			Returns: "tab, url, title, status", Examples: []string{"newtab example.com", "newtab --front"},
		}, tab: noTab, run: runNewTab},
		{Spec: Spec{
			Name: "closetab", Aliases: []string{"close", "tab-close"}, Scope: act, Summary: "close a tab",
			Args:    []Arg{{Name: "tab", Type: TabArg, Help: "the tab; your own if left out"}},
			Returns: "tab", Examples: []string{"closetab t3"},
		}, tab: ownTab, run: runCloseTab},
	}
}
