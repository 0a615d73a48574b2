package browser

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

func TestCookiesAndStorage(t *testing.T) {
	f, s, id := watching(t)
	ctx := t.Context() // deriving a key from a passphrase is slow on purpose
	if _, err := f.Storage(ctx, nobody, id); code(err) != protocol.CodeBadArgument {
		t.Errorf("an empty tab has no storage: %v", err)
	}
	f.open(t, id, s.URL+"/state")
	if err := f.SetCookie(ctx, nobody, id, protocol.Cookie{Name: "theme", Value: "dark", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	if err := f.SetCookie(ctx, nobody, id, protocol.Cookie{Name: "__Host-x", Value: "1", Path: "/", Domain: "a.example"}); code(err) != protocol.CodeBadArgument {
		t.Errorf("a cookie that breaks the rules: %v", err)
	}
	if err := f.SetCookie(ctx, nobody, id, protocol.Cookie{Name: "other", Value: "1", Path: "/", Domain: ".elsewhere.example"}); err != nil {
		t.Error(err)
	}
	own, err := f.Cookies(ctx, nobody, id, "", protocol.CookiesOfSite)
	if err != nil || len(own) != 2 {
		t.Fatalf("%+v, %v", own, err)
	}
	if all, err := f.Cookies(ctx, nobody, id, "", protocol.CookiesOfAll); err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	// With a domain: all cookies of that domain, or those that are sent to the page.
	for domain, want := range map[string]int{"elsewhere.example": 1, "a.elsewhere.example": 1, "where.example": 0, "127.0.0.1": 2} {
		if some, err := f.Cookies(ctx, nobody, id, domain, protocol.CookiesOfAll); err != nil || len(some) != want {
			t.Errorf("%s: %+v, %v", domain, some, err)
		}
	}
	for _, scope := range []protocol.CookieScope{protocol.CookiesOfHost, protocol.CookiesOfSite, protocol.CookiesOfAll} {
		if list, err := f.Cookies(ctx, nobody, id, "example.com.", scope); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		if list, err := f.Cookies(ctx, nobody, id, "com", scope); code(err) != protocol.CodeRefused || len(list) != 0 {
			t.Errorf("cookies of com: %+v, %v", list, err)
		}
		if n, err := f.DeleteCookies(ctx, nobody, id, "", "com", scope); code(err) != protocol.CodeRefused || n != 0 {
			t.Errorf("deleting those of com: %d, %v", n, err)
		}
	}
	if sent, err := f.Cookies(ctx, nobody, id, "elsewhere.example", protocol.CookiesOfSite); err != nil || len(sent) != 0 {
		t.Errorf("the page is sent %+v, %v", sent, err)
	}
	if err := f.SetStorage(ctx, nobody, id, true, "k", "local value"); err != nil {
		t.Fatal(err)
	}
	if err := f.SetStorage(ctx, nobody, id, false, "s", "session value"); err != nil {
		t.Fatal(err)
	}
	st, err := f.Storage(ctx, nobody, id)
	if err != nil || st.Origin != s.URL || len(st.Local) != 1 || st.Local[0].Value != "local value" || len(st.SessionItems) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}

	// A state is saved, cleared and loaded.
	for _, all := range []bool{false, true} {
		saved, err := f.SaveState(ctx, nobody, id, "shop", "four plain words here", all)
		if err != nil || saved.Cookies < 2 || saved.Items != 2 || saved.Key != "passphrase" {
			t.Fatalf("%+v, %v", saved, err)
		}
		mode(t, saved.Path)
		if data, err := os.ReadFile(saved.Path); err != nil || strings.Contains(string(data), "local value") || !strings.HasPrefix(string(data), "age-encryption.org/v1") {
			t.Errorf("the file is not encrypted: %.60q, %v", data, err)
		}
		if n, err := f.DeleteCookies(ctx, nobody, id, "", "", protocol.CookiesOfAll); n != 3 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		if n, err := f.RemoveStorage(ctx, nobody, id, true, ""); n != 1 || err != nil {
			t.Errorf("removed %d, %v", n, err)
		}
		if n, err := f.RemoveStorage(ctx, nobody, id, false, "s"); n != 1 || err != nil {
			t.Errorf("removed %d, %v", n, err)
		}
		if _, err := f.LoadState(ctx, nobody, id, "shop", "wrong"); code(err) != protocol.CodeBadArgument {
			t.Errorf("a wrong passphrase: %v", err)
		}
		if _, err := f.LoadState(ctx, nobody, id, "shop", ""); code(err) != protocol.CodeBadArgument {
			t.Errorf("no passphrase: %v", err)
		}
		if all { // from another page: the storage is restored when the site is opened
			f.open(t, id, "about:blank")
		}
		if _, err := f.LoadState(ctx, nobody, id, "shop", "four plain words here"); err != nil {
			t.Fatal(err)
		}
		if info := f.open(t, id, s.URL+"/state?2"); !strings.HasPrefix(info.Title, "local value session value ") || !strings.Contains(info.Title, "theme=dark") {
			t.Errorf("all %v: after load the page sees %q", all, info.Title)
		}
		// The page's later changes are kept.
		if err := f.SetStorage(ctx, nobody, id, true, "k", "changed"); err != nil {
			t.Fatal(err)
		}
		if info := f.open(t, id, s.URL+"/state?3"); !strings.HasPrefix(info.Title, "changed ") {
			t.Errorf("the page's own change is gone: %q", info.Title)
		}
		if err := f.SetStorage(ctx, nobody, id, true, "k", "local value"); err != nil {
			t.Fatal(err)
		}
		if err := f.SetCookie(ctx, nobody, id, protocol.Cookie{Name: "other", Value: "1", Path: "/", Domain: ".elsewhere.example"}); err != nil {
			t.Error(err)
		}
	}
	if list, err := f.States(); err != nil || len(list) != 1 || list[0].Name != "shop" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := f.DeleteState("shop"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"shop", "../x", ""} {
		if _, err := f.LoadState(ctx, nobody, id, name, "p"); code(err) != protocol.CodeBadArgument {
			t.Errorf("load %q: %v", name, err)
		}
	}
	// With a keychain no passphrase is needed; without one it is.
	keyring.MockInit()
	if saved, err := f.SaveState(ctx, nobody, id, "keyed", "", false); err != nil || saved.Key != "keychain" {
		t.Errorf("%+v, %v", saved, err)
	}
	if _, err := f.LoadState(ctx, nobody, id, "keyed", ""); err != nil {
		t.Error(err)
	}
	keyring.MockInitWithError(keyring.ErrUnsupportedPlatform)
	if _, err := f.SaveState(ctx, nobody, id, "keyed", "", false); code(err) != protocol.CodeBadArgument || !strings.Contains(err.Error(), "passphrase") {
		t.Errorf("without a keychain: %v", err)
	}
}

func TestEmulation(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	f.open(t, id, s.URL+"/form")
	const snap = `JSON.stringify([innerWidth, innerHeight, devicePixelRatio, matchMedia('(prefers-color-scheme: dark)').matches,
		matchMedia('(prefers-reduced-motion: reduce)').matches, matchMedia('print').matches,
		Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString(), navigator.userAgent === 'MyBot/1.0', navigator.maxTouchPoints, navigator.onLine])`
	before := f.script(t, id, snap)
	want := func(e *protocol.Emulation) {
		e.Viewport = &protocol.EmulatedViewport{Width: 390, Height: 844, Scale: 3, Mobile: false, Touch: true}
		e.Scheme, e.Motion, e.Media, e.Timezone, e.Locale, e.UserAgent = "dark", "reduce", "print", "Asia/Tokyo", "de-DE", "MyBot/1.0"
		e.Headers = map[string]string{"X-Debug": "seven"}
		e.CPU = 2
		e.Geolocation = &protocol.EmulatedGeolocation{Latitude: 52.5, Longitude: 13.4, Accuracy: 5}
	}
	if _, err := f.Emulate(ctx, nobody, id, want); err != nil {
		t.Fatal(err)
	}
	emulated := `[390,844,3,true,true,true,"Asia/Tokyo","1,5",true,5,true]`
	if got := f.script(t, id, snap); got != emulated {
		t.Errorf("emulated: %s", got)
	}
	if info := f.open(t, id, s.URL+"/echo"); !strings.HasPrefix(info.Title, "seven|MyBot/1.0|de-DE") {
		t.Errorf("the server saw %q", info.Title)
	}
	if got := f.script(t, id, snap); got != emulated {
		t.Errorf("after a navigation: %s", got)
	}
	if site, err := f.SetPermission(ctx, nobody, id, "geolocation", "granted"); err != nil || site != s.URL {
		t.Fatal(site, err)
	}
	if got := f.script(t, id, "new Promise((d) => navigator.geolocation.getCurrentPosition((p) => d(p.coords.latitude), (e) => d(e.message)))"); got != "52.5" {
		t.Errorf("the place is %s", got)
	}
	if _, set, err := f.Permissions(ctx, nobody, id); err != nil || set["geolocation"] != "granted" {
		t.Errorf("%v, %v", set, err)
	}
	if _, n, err := f.ResetPermissions(ctx, nobody, id); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := f.SetPermission(ctx, nobody, id, "mind-reading", "granted"); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such permission: %v", err)
	}
	// A value that the browser refuses leaves everything as it was.
	if _, err := f.Emulate(ctx, nobody, id, func(e *protocol.Emulation) { e.Timezone = "Mars/Olympus" }); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such zone: %v", err)
	}
	if got := f.script(t, id, snap); got != emulated {
		t.Errorf("after an error: %s", got)
	}
	if _, err := f.Emulate(ctx, nobody, id, func(e *protocol.Emulation) { e.Network = &protocol.EmulatedConditions{Name: "offline", Offline: true} }); err != nil {
		t.Fatal(err)
	}
	if got := f.script(t, id, "fetch('/api').then(() => 'there', () => 'offline')"); got != "offline" {
		t.Errorf("offline it is %s", got)
	}
	if _, err := f.Emulate(ctx, nobody, id, func(e *protocol.Emulation) { *e = protocol.Emulation{} }); err != nil {
		t.Fatal(err)
	}
	if got := f.script(t, id, "fetch('/api').then(() => 'there', () => 'offline')"); got != "there" {
		t.Errorf("online again it is %s", got)
	}
	f.open(t, id, s.URL+"/form")
	if got := f.script(t, id, snap); got != before {
		t.Errorf("after reset: %s, before: %s", got, before)
	}
	if e := f.Emulation(id); e.Viewport != nil || e.Headers != nil {
		t.Errorf("%+v", e)
	}
}

func TestWebMCPAndRaw(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	f.open(t, id, s.URL+"/form")
	if tools, err := f.PageTools(ctx, id); err != nil || len(tools) != 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	f.open(t, id, s.URL+"/tools")
	tools, err := f.PageTools(ctx, id)
	if err != nil || len(tools) != 1 || tools[0].Name != "add" || tools[0].Origin != s.URL || !strings.Contains(tools[0].Schema, `"number"`) {
		t.Fatalf("%+v, %v", tools, err)
	}
	r, err := f.CallPageTool(ctx, nobody, id, "add", json.RawMessage(`{"a":2,"b":40}`))
	if err != nil || r.Status != "Completed" || r.Output != "42" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := f.CallPageTool(ctx, nobody, id, "subtract", json.RawMessage(`{}`)); code(err) != protocol.CodeBadArgument || !strings.Contains(err.Error(), "add") {
		t.Errorf("no such tool: %v", err)
	}
	f.open(t, id, s.URL+"/form")
	if tools, err := f.PageTools(ctx, id); err != nil || len(tools) != 0 {
		t.Errorf("a page that went: %+v, %v", tools, err)
	}
	if v, _, err := f.RawCDP(ctx, nobody, id, "Page.getLayoutMetrics", json.RawMessage(`{}`)); err != nil || !strings.Contains(string(v), "cssContentSize") {
		t.Errorf("%s, %v", v, err)
	}
	if _, _, err := f.RawCDP(ctx, nobody, id, "No.such", json.RawMessage(`{}`)); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such method: %v", err)
	}
}

// TestCookiesOfASite: the cookies of a site are those of all its hosts and paths, also
// for deleting; those of another site stay.
func TestCookiesOfASite(t *testing.T) {
	s := stageOf(t, "there")
	ctx := deadline(t)
	s.url = strings.Replace(s.url, "127.0.0.1", "a.shop.localhost", 1)
	s.open(t, "/")
	for _, c := range []protocol.Cookie{
		{Name: "own", Path: "/"},
		{Name: "deep", Path: "/deep/er"},
		{Name: "deep", Path: "/other"},
		{Name: "above", Path: "/", Domain: ".shop.localhost"},
		{Name: "beside", Path: "/x", Domain: "b.shop.localhost"},
		{Name: "below", Path: "/", Domain: ".c.a.shop.localhost"},
		{Name: "foreign", Path: "/", Domain: "other.localhost"},
	} {
		c.Value = "1"
		if err := s.SetCookie(ctx, nobody, s.tab, c); err != nil {
			t.Fatal(err)
		}
	}
	names := func(scope protocol.CookieScope) string {
		t.Helper()
		list, err := s.Cookies(ctx, nobody, s.tab, "", scope)
		if err != nil {
			t.Error(err)
		}
		var out []string
		for _, c := range list {
			out = append(out, c.Name)
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	if got := names(protocol.CookiesOfSite); got != "above below beside deep deep own" {
		t.Errorf("of the site: %s", got)
	}
	if got := names(protocol.CookiesOfHost); got != "above deep deep own" {
		t.Errorf("of the host: %s", got)
	}
	if n, err := s.DeleteCookies(ctx, nobody, s.tab, "deep", "", protocol.CookiesOfSite); n != 2 || err != nil {
		t.Errorf("by name: %d, %v", n, err)
	}
	if n, err := s.DeleteCookies(ctx, nobody, s.tab, "", "", protocol.CookiesOfSite); n != 4 || err != nil {
		t.Errorf("all: %d, %v", n, err)
	}
	if got := names(protocol.CookiesOfAll); got != "foreign" {
		t.Errorf("left: %s", got)
	}
}
