package catalogue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// stored returns the commands about what a page stores: cookies, storage, and files that
// contain both.
func (c *commands) stored() []command.Command {
	lists := func(in *command.Invocation) bool { return in.Args.Do("list") == "list" }
	return []command.Command{
		{Spec: command.Spec{
			Name: "cookies", Scope: protocol.ScopeAct, Summary: "list, set and delete cookies of the page's site",
			Help: "The site is the domain that was registered, such as example.com, with all its subdomains and paths. An agent sees the names and lengths of cookies that the host of its own tab gets, never their values.",
			Args: []command.Arg{
				command.DoArg("list", "get", "set", "delete", "clear"),
				{Name: "name", Type: command.String, Help: "the cookie, for get, set and delete"},
				{Name: "value", Type: command.String, Secret: true, Help: "for set"},
				{Name: "all", Type: command.Boolean, Flag: true, Help: "cookies of every site"},
				{Name: "domain", Type: command.String, Flag: true, Help: "of this domain; for set the page's host if left out"},
				{Name: "path", Type: command.String, Flag: true, Default: "/", Help: "for set"},
				{Name: "expires", Type: command.String, Flag: true, Help: "for set: a time such as 24h or 2027-01-31T00:00:00Z; until the browser ends if left out"},
				{Name: "http-only", Type: command.Boolean, Flag: true, Help: "for set: scripts do not see it"},
				{Name: "secure", Type: command.Boolean, Flag: true, Help: "for set: https only"},
				{Name: "same-site", Type: command.String, Flag: true, Choices: []string{"Strict", "Lax", "None"}, Help: "for set"},
				listing.MaxArg(),
			},
			Returns:  "the cookies, or how many were deleted",
			Examples: []string{"cookies", "cookies set theme dark --expires 24h", "cookies delete theme", "cookies clear"},
		}, Tab: command.OwnTab, Kind: protocol.ActionCookies, ListsNames: lists, Run: c.runCookies},
		{Spec: command.Spec{
			Name: "storage", Scope: protocol.ScopeAct, Summary: "list, read, set and delete entries of the page's localStorage and sessionStorage",
			Help: "An agent sees names and sizes, never values.",
			Args: []command.Arg{
				command.DoArg("list", "get", "set", "delete", "clear"),
				{Name: "key", Type: command.String, Help: "the entry, for get, set and delete"},
				{Name: "value", Type: command.String, Secret: true, Help: "for set"},
				{Name: "area", Type: command.String, Flag: true, Choices: []string{"local", "session"}, Help: "which of the two; both for list, local for the others"},
				listing.MaxArg(),
			},
			Returns:  "origin, local, session",
			Examples: []string{"storage", "storage set theme dark", "storage clear --area session"},
		}, Tab: command.OwnTab, Kind: protocol.ActionCookies, ListsNames: lists, Run: c.runStorage},
		{Spec: command.Spec{
			Name: "state", Scope: protocol.ScopeSensitive, Summary: "save cookies and storage of the page's site to an encrypted file, or load them",
			Help: "Encrypted (age) with a passphrase, or with a key in the system's keychain where there is one. load does not reload the page; the storage of other sites is restored when they are opened in this tab.",
			Args: []command.Arg{
				command.DoArg("list", "save", "load", "delete"),
				{Name: "name", Type: command.String, Help: "of the state"},
				{Name: "passphrase", Type: command.String, Flag: true, Secret: true, Help: "instead of the keychain"},
				{Name: "all", Type: command.Boolean, Flag: true, Help: "for save: every site, with the storage of those that are open"},
			},
			Files: true, Returns: "name, path, site, cookies, items, key",
			Examples: []string{"state save shop", "state load shop", "state list", "state save all --all --passphrase 'four plain words here'"},
		}, Tab: command.OwnTab, Kind: protocol.ActionCookies, Run: c.runState},
	}
}

func (c *commands) runCookies(ctx context.Context, in *command.Invocation) (command.Result, error) {
	all, name := in.Args.Flag("all"), in.Args.Text("name")
	domain, err := domainOf(in)
	if err == nil && in.Agent() && all {
		err = notItsSite()
	}
	if err != nil {
		return command.Result{}, err
	}
	// An agent gets the cookies that the host of its page gets. For a domain, the user
	// gets all.
	scope := protocol.CookiesOfSite
	switch {
	case in.Agent():
		scope = protocol.CookiesOfHost
	case all || domain != "":
		scope = protocol.CookiesOfAll
	}
	switch do := in.Args.Do("list"); do {
	case "set":
		return c.setCookie(ctx, in, name, in.Args.Text("domain"))
	case "delete", "clear":
		if do == "delete" {
			if err := in.Args.Needs("cookies delete", "name", "cookies delete theme"); err != nil {
				return command.Result{}, err
			}
		} else {
			name = ""
		}
		n, err := c.Browser.DeleteCookies(ctx, in.By(), in.Tab, name, domain, scope)
		if err == nil && n == 0 && do == "delete" {
			return command.Result{}, command.BadArgument(fmt.Sprintf("there is no cookie %.80q", name), "", protocol.Try("lists them", "cookies"))
		}
		return command.Result{Text: spelling.Plural(n, "cookie") + " deleted", Data: map[string]int{"deleted": n}}, err
	case "get":
		if err := in.Args.Needs("cookies get", "name", "cookies get theme"); err != nil {
			return command.Result{}, err
		}
	default:
		name = ""
	}
	cookies, err := c.Browser.Cookies(ctx, in.By(), in.Tab, domain, scope)
	if err != nil {
		return command.Result{}, err
	}
	var lines []string
	kept := []protocol.Cookie{}
	for _, c := range cookies {
		if name != "" && c.Name != name {
			continue
		}
		if in.Agent() {
			c.Value = foreign.Masked(c.Value)
		}
		kept = append(kept, c)
		lines = append(lines, cookieLine(c))
	}
	if name != "" && len(kept) == 0 {
		return command.Result{}, command.BadArgument(fmt.Sprintf("there is no cookie %.80q", name), "", protocol.Try("lists them", "cookies"))
	}
	return command.Result{Text: listing.Rows(in, in.Current(), lines, "no cookies"), Data: kept}, nil
}

func cookieLine(c protocol.Cookie) string {
	words := []string{foreign.Line(c.Name, 200) + "=" + foreign.Line(c.Value, 200), c.Domain + c.Path}
	if c.Expires != nil {
		words = append(words, "until "+c.Expires.Format(time.RFC3339))
	}
	if c.HTTPOnly {
		words = append(words, "http-only")
	}
	if c.Secure {
		words = append(words, "secure")
	}
	if c.SameSite != "" {
		words = append(words, c.SameSite)
	}
	return strings.Join(words, "  ")
}

func (c *commands) setCookie(ctx context.Context, in *command.Invocation, name, domain string) (command.Result, error) {
	if err := in.Args.Needs("cookies set", "name", "cookies set theme dark"); err != nil {
		return command.Result{}, err
	}
	if !in.Args.Given("value") {
		return command.Result{}, command.BadArgument("cookies set needs a value", "", protocol.Example("cookies", "set", "theme", "dark"))
	}
	cookie := protocol.Cookie{
		Name: name, Value: in.Args.Text("value"), Domain: domain, Path: in.Args.Text("path"),
		HTTPOnly: in.Args.Flag("http-only"), Secure: in.Args.Flag("secure"), SameSite: in.Args.Text("same-site"),
	}
	if cookie.Path == "" {
		cookie.Path = "/"
	}
	if when := in.Args.Text("expires"); when != "" {
		at, err := time.Parse(time.RFC3339, when)
		if d, derr := time.ParseDuration(when); derr == nil {
			at, err = time.Now().Add(d), nil
		}
		if err != nil {
			return command.Result{}, command.BadArgument(fmt.Sprintf("%.40q is no time", when), "use one such as 24h or 2027-01-31T00:00:00Z")
		}
		if !at.After(time.Now()) {
			return command.Result{}, command.BadArgument(fmt.Sprintf("the cookie %.80q has expired already, at %s, so the browser does not keep it", name, at.UTC().Format(time.RFC3339)), "give a later time", protocol.Try("deletes it", "cookies", "delete", name))
		}
		cookie.Expires = &at
	}
	if err := c.Browser.SetCookie(ctx, in.By(), in.Tab, cookie); err != nil {
		return command.Result{}, err
	}
	if in.Agent() {
		cookie.Value = foreign.Masked(cookie.Value)
	}
	return command.Result{Text: "cookie " + foreign.Line(name, 200) + " is set", Data: cookie}, nil
}

func (c *commands) runStorage(ctx context.Context, in *command.Invocation) (command.Result, error) {
	local := in.Args.Text("area") != "session"
	key := in.Args.Text("key")
	switch do := in.Args.Do("list"); do {
	case "set":
		if err := in.Args.Needs("storage set", "key", "storage set theme dark"); err != nil {
			return command.Result{}, err
		}
		if !in.Args.Given("value") {
			return command.Result{}, command.BadArgument("storage set needs a value", "", protocol.Example("storage", "set", "theme", "dark"))
		}
		err := c.Browser.SetStorage(ctx, in.By(), in.Tab, local, key, in.Args.Text("value"))
		return command.Result{Text: foreign.Line(key, 200) + " is set", Data: map[string]string{"key": key}}, err
	case "delete", "clear":
		if do == "delete" {
			if err := in.Args.Needs("storage delete", "key", "storage delete theme"); err != nil {
				return command.Result{}, err
			}
		} else {
			key = ""
		}
		n, err := c.Browser.RemoveStorage(ctx, in.By(), in.Tab, local, key)
		if err == nil && n == 0 && do == "delete" {
			return command.Result{}, command.BadArgument(fmt.Sprintf("there is no entry %.80q", key), "", protocol.Try("lists them", "storage"))
		}
		return command.Result{Text: fmt.Sprintf("%d deleted", n), Data: map[string]int{"deleted": n}}, err
	case "get":
		if err := in.Args.Needs("storage get", "key", "storage get theme"); err != nil {
			return command.Result{}, err
		}
	default:
		key = ""
	}
	st, err := c.Browser.Storage(ctx, in.By(), in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	var lines []string
	take := func(area string, items []protocol.StorageItem) []protocol.StorageItem {
		kept := []protocol.StorageItem{}
		if only := in.Args.Text("area"); only != "" && only != area {
			return kept
		}
		for _, i := range items {
			if key != "" && i.Key != key {
				continue
			}
			if in.Agent() {
				i.Value = foreign.Masked(i.Value)
			}
			kept = append(kept, i)
			if key != "" {
				lines = append(lines, foreign.Clean(i.Value))
				continue
			}
			lines = append(lines, fmt.Sprintf("%s  %s = %s", area, foreign.Line(i.Key, 200), foreign.Line(i.Value, 200)))
		}
		return kept
	}
	st.Local, st.SessionItems = take("local", st.Local), take("session", st.SessionItems)
	if key != "" && len(lines) == 0 {
		return command.Result{}, command.BadArgument(fmt.Sprintf("there is no entry %.80q", key), "", protocol.Try("lists them", "storage"))
	}
	return command.Result{Text: listing.Rows(in, st.Origin, lines, "nothing is stored"), Data: st}, nil
}

func (c *commands) runState(ctx context.Context, in *command.Invocation) (command.Result, error) {
	name, pass := in.Args.Text("name"), in.Args.Text("passphrase")
	do := in.Args.Do("list")
	if do != "list" {
		if err := in.Args.Needs("state "+do, "name", "state "+do+" shop"); err != nil {
			return command.Result{}, err
		}
	}
	switch do {
	case "save":
		f, err := c.Browser.SaveState(ctx, in.By(), in.Tab, name, pass, in.Args.Flag("all"))
		return command.Result{Text: fmt.Sprintf("%s\n%s and %d entries of storage, encrypted with the %s", f.Path, spelling.Plural(f.Cookies, "cookie"), f.Items, f.Key), Data: f}, err
	case "load":
		f, err := c.Browser.LoadState(ctx, in.By(), in.Tab, name, pass)
		return command.Result{Text: fmt.Sprintf("%s and %d entries of storage are back; reload the page to use them", spelling.Plural(f.Cookies, "cookie"), f.Items), Data: f}, err
	case "delete":
		return command.Result{Text: name + " is deleted", Data: map[string]string{"name": name}}, c.Browser.DeleteState(name)
	}
	states, err := c.Browser.States()
	var lines []string
	for _, f := range states {
		lines = append(lines, fmt.Sprintf("%s  %d KB  %s  %s", f.Name, (f.Bytes+1023)/1024, f.Key, f.Saved.Format(time.RFC3339)))
	}
	return command.Result{Text: listing.Last(lines, 0, "no state is saved"), Data: states}, err
}
