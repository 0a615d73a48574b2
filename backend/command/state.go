package command

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// stateBrowser is what the commands of a page's state need of a browser.
type stateBrowser interface {
	Cookies(ctx context.Context, tab protocol.TabID, all bool) ([]protocol.Cookie, error)
	SetCookie(ctx context.Context, tab protocol.TabID, c protocol.Cookie) error
	DeleteCookies(ctx context.Context, tab protocol.TabID, name, domain string, all bool) (int, error)
	Storage(ctx context.Context, tab protocol.TabID) (protocol.Storage, error)
	SetStorage(ctx context.Context, tab protocol.TabID, local bool, key, value string) error
	RemoveStorage(ctx context.Context, tab protocol.TabID, local bool, key string) (int, error)
	SaveState(ctx context.Context, tab protocol.TabID, name, passphrase string, all bool) (protocol.StateFile, error)
	LoadState(ctx context.Context, tab protocol.TabID, name, passphrase string) (protocol.StateFile, error)
	States() ([]protocol.StateFile, error)
	DeleteState(name string) error
	Emulation(tab protocol.TabID) protocol.Emulation
	Emulate(ctx context.Context, tab protocol.TabID, change func(*protocol.Emulation)) (protocol.Emulation, error)
	SetPermission(ctx context.Context, tab protocol.TabID, name, setting string) (string, error)
	Permissions(ctx context.Context, tab protocol.TabID) (string, map[string]string, error)
	ResetPermissions(ctx context.Context, tab protocol.TabID) (string, int, error)
}

func stateCommands() []command {
	return []command{
		{Spec: Spec{
			Name: "cookies", Scope: protocol.ScopeAct, Summary: "list, set and delete cookies of the page's site",
			Help: "An agent sees the names and lengths of cookies of its own tab's site, never their values.",
			Args: []Arg{
				doArg("list", "get", "set", "delete", "clear"),
				{Name: "name", Type: String, Help: "the cookie, for get, set and delete"},
				{Name: "value", Type: String, Secret: true, Help: "for set"},
				{Name: "all", Type: Boolean, Flag: true, Help: "cookies of every site"},
				{Name: "domain", Type: String, Flag: true, Help: "of this domain; the page's host if left out"},
				{Name: "path", Type: String, Flag: true, Default: "/", Help: "for set"},
				{Name: "expires", Type: String, Flag: true, Help: "for set: a time such as 24h or 2027-01-31T00:00:00Z; until the browser ends if left out"},
				{Name: "http-only", Type: Boolean, Flag: true, Help: "for set: scripts do not see it"},
				{Name: "secure", Type: Boolean, Flag: true, Help: "for set: https only"},
				{Name: "same-site", Type: String, Flag: true, Choices: []string{"Strict", "Lax", "None"}, Help: "for set"},
				maxArg(),
			},
			Returns:  "the cookies, or how many were deleted",
			Examples: []string{"cookies", "cookies set theme dark --expires 24h", "cookies delete theme", "cookies clear"},
		}, tab: ownTab, run: runCookies},
		{Spec: Spec{
			Name: "storage", Scope: protocol.ScopeAct, Summary: "list, read, set and delete entries of the page's localStorage and sessionStorage",
			Help: "An agent sees names and sizes, never values.",
			Args: []Arg{
				doArg("list", "get", "set", "delete", "clear"),
				{Name: "key", Type: String, Help: "the entry, for get, set and delete"},
				{Name: "value", Type: String, Secret: true, Help: "for set"},
				{Name: "area", Type: String, Flag: true, Choices: []string{"local", "session"}, Help: "which of the two; both for list, local for the others"},
				maxArg(),
			},
			Returns:  "origin, local, session",
			Examples: []string{"storage", "storage set theme dark", "storage clear --area session"},
		}, tab: ownTab, run: runStorage},
		{Spec: Spec{
			Name: "state", Scope: protocol.ScopeSensitive, Summary: "save cookies and storage of the page's site to an encrypted file, or load them",
			Help: "Encrypted (age) with a passphrase, or with a key in the system's keychain where there is one. load does not reload the page; the storage of other sites is restored when they are opened in this tab.",
			Args: []Arg{
				doArg("list", "save", "load", "delete"),
				{Name: "name", Type: String, Help: "of the state"},
				{Name: "passphrase", Type: String, Flag: true, Secret: true, Help: "instead of the keychain"},
				{Name: "all", Type: Boolean, Flag: true, Help: "for save: every site, with the storage of those that are open"},
			},
			Files: true, Returns: "name, path, site, cookies, items, key",
			Examples: []string{"state save shop", "state load shop", "state list", "state save all --all --passphrase 'four plain words here'"},
		}, tab: ownTab, run: runState},
	}
}

// siteOf is the host of the call's page.
func (in *invocation) siteOf() string {
	u, err := url.Parse(in.current())
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// underSite says whether a cookie of a domain is sent to a host.
func underSite(domain, host string) bool {
	d := strings.ToLower(strings.TrimPrefix(domain, "."))
	return d == host || strings.HasSuffix(host, "."+d)
}

func runCookies(ctx context.Context, in *invocation) (result, error) {
	all, domain, name := in.args.flag("all"), in.args.text("domain"), in.args.text("name")
	if in.agent() && (all || (domain != "" && !underSite(domain, in.siteOf()))) {
		return result{}, protocol.NewError(protocol.CodeRefused, "an agent may use only the cookies of its own page", "open the site in your tab first")
	}
	all = all || domain != ""
	switch do := in.do("list"); do {
	case "set":
		return in.setCookie(ctx, name, domain)
	case "delete", "clear":
		if do == "delete" {
			if err := in.needs("cookies delete", "name", "cookies delete theme"); err != nil {
				return result{}, err
			}
		} else {
			name = ""
		}
		n, err := in.browser.DeleteCookies(ctx, in.tab, name, domain, all)
		if err == nil && n == 0 && do == "delete" {
			return result{}, badArgument(fmt.Sprintf("there is no cookie %.80q", name), "", protocol.Try("lists them", "cookies"))
		}
		return result{text: plural(n, "cookie") + " deleted", data: map[string]int{"deleted": n}}, err
	case "get":
		if err := in.needs("cookies get", "name", "cookies get theme"); err != nil {
			return result{}, err
		}
	default:
		name = ""
	}
	cookies, err := in.browser.Cookies(ctx, in.tab, all)
	if err != nil {
		return result{}, err
	}
	var lines []string
	kept := []protocol.Cookie{}
	for _, c := range cookies {
		if (name != "" && c.Name != name) || (domain != "" && !underSite(domain, strings.TrimPrefix(c.Domain, "."))) {
			continue
		}
		if in.agent() {
			c.Value = masked(c.Value)
		}
		kept = append(kept, c)
		lines = append(lines, cookieLine(c))
	}
	if name != "" && len(kept) == 0 {
		return result{}, badArgument(fmt.Sprintf("there is no cookie %.80q", name), "", protocol.Try("lists them", "cookies"))
	}
	return result{text: in.rows(in.current(), lines, "no cookies"), data: kept}, nil
}

func cookieLine(c protocol.Cookie) string {
	words := []string{line(c.Name, 200) + "=" + line(c.Value, 200), c.Domain + c.Path}
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

func (in *invocation) setCookie(ctx context.Context, name, domain string) (result, error) {
	if err := in.needs("cookies set", "name", "cookies set theme dark"); err != nil {
		return result{}, err
	}
	if !in.args.given("value") {
		return result{}, badArgument("cookies set needs a value", "", protocol.Example("cookies", "set", "theme", "dark"))
	}
	c := protocol.Cookie{
		Name: name, Value: in.args.text("value"), Domain: domain, Path: in.args.text("path"),
		HTTPOnly: in.args.flag("http-only"), Secure: in.args.flag("secure"), SameSite: in.args.text("same-site"),
	}
	if c.Path == "" {
		c.Path = "/"
	}
	if when := in.args.text("expires"); when != "" {
		at, err := time.Parse(time.RFC3339, when)
		if d, derr := time.ParseDuration(when); derr == nil && d > 0 {
			at, err = time.Now().Add(d), nil
		}
		if err != nil {
			return result{}, badArgument(fmt.Sprintf("%.40q is no time", when), "use one such as 24h or 2027-01-31T00:00:00Z")
		}
		c.Expires = &at
	}
	if err := in.browser.SetCookie(ctx, in.tab, c); err != nil {
		return result{}, err
	}
	if in.agent() {
		c.Value = masked(c.Value)
	}
	return result{text: "cookie " + line(name, 200) + " is set", data: c}, nil
}

func runStorage(ctx context.Context, in *invocation) (result, error) {
	local := in.args.text("area") != "session"
	key := in.args.text("key")
	switch do := in.do("list"); do {
	case "set":
		if err := in.needs("storage set", "key", "storage set theme dark"); err != nil {
			return result{}, err
		}
		if !in.args.given("value") {
			return result{}, badArgument("storage set needs a value", "", protocol.Example("storage", "set", "theme", "dark"))
		}
		err := in.browser.SetStorage(ctx, in.tab, local, key, in.args.text("value"))
		return result{text: line(key, 200) + " is set", data: map[string]string{"key": key}}, err
	case "delete", "clear":
		if do == "delete" {
			if err := in.needs("storage delete", "key", "storage delete theme"); err != nil {
				return result{}, err
			}
		} else {
			key = ""
		}
		n, err := in.browser.RemoveStorage(ctx, in.tab, local, key)
		if err == nil && n == 0 && do == "delete" {
			return result{}, badArgument(fmt.Sprintf("there is no entry %.80q", key), "", protocol.Try("lists them", "storage"))
		}
		return result{text: fmt.Sprintf("%d deleted", n), data: map[string]int{"deleted": n}}, err
	case "get":
		if err := in.needs("storage get", "key", "storage get theme"); err != nil {
			return result{}, err
		}
	default:
		key = ""
	}
	st, err := in.browser.Storage(ctx, in.tab)
	if err != nil {
		return result{}, err
	}
	var lines []string
	take := func(area string, items []protocol.StorageItem) []protocol.StorageItem {
		kept := []protocol.StorageItem{}
		if only := in.args.text("area"); only != "" && only != area {
			return kept
		}
		for _, i := range items {
			if key != "" && i.Key != key {
				continue
			}
			if in.agent() {
				i.Value = masked(i.Value)
			}
			kept = append(kept, i)
			if key != "" {
				lines = append(lines, clean(i.Value))
				continue
			}
			lines = append(lines, fmt.Sprintf("%s  %s = %s", area, line(i.Key, 200), line(i.Value, 200)))
		}
		return kept
	}
	st.Local, st.SessionItems = take("local", st.Local), take("session", st.SessionItems)
	if key != "" && len(lines) == 0 {
		return result{}, badArgument(fmt.Sprintf("there is no entry %.80q", key), "", protocol.Try("lists them", "storage"))
	}
	return result{text: in.rows(st.Origin, lines, "nothing is stored"), data: st}, nil
}

func runState(ctx context.Context, in *invocation) (result, error) {
	name, pass := in.args.text("name"), in.args.text("passphrase")
	do := in.do("list")
	if do != "list" {
		if err := in.needs("state "+do, "name", "state "+do+" shop"); err != nil {
			return result{}, err
		}
	}
	switch do {
	case "save":
		f, err := in.browser.SaveState(ctx, in.tab, name, pass, in.args.flag("all"))
		return result{text: fmt.Sprintf("%s\n%s and %d entries of storage, encrypted with the %s", f.Path, plural(f.Cookies, "cookie"), f.Items, f.Key), data: f}, err
	case "load":
		f, err := in.browser.LoadState(ctx, in.tab, name, pass)
		return result{text: fmt.Sprintf("%s and %d entries of storage are back; reload the page to use them", plural(f.Cookies, "cookie"), f.Items), data: f}, err
	case "delete":
		return result{text: name + " is deleted", data: map[string]string{"name": name}}, in.browser.DeleteState(name)
	}
	states, err := in.browser.States()
	var lines []string
	for _, f := range states {
		lines = append(lines, fmt.Sprintf("%s  %d KB  %s  %s", f.Name, (f.Bytes+1023)/1024, f.Key, f.Saved.Format(time.RFC3339)))
	}
	return result{text: listed(lines, 0, "no state is saved"), data: states}, err
}
