package command

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// wait is the caller's wish, or load.
func (in *invocation) wait() protocol.WaitUntil {
	if w := in.args.text("wait"); w != "" {
		return protocol.WaitUntil(w)
	}
	return protocol.WaitLoad
}

// arrived says where a tab is after a navigation.
func (in *invocation) arrived(info protocol.PageInfo, err error) (result, error) {
	if err != nil {
		return result{}, err
	}
	place, said := in.place(info.URL)
	text := fmt.Sprintf("%s is at %s", in.tab, place)
	if info.Status != 0 && (info.Status < 200 || info.Status > 299) {
		text += fmt.Sprintf(" (HTTP %d)", info.Status)
	}
	if title := line(info.Title, titleShown); title != "" {
		said = append(said, title)
	}
	if len(said) > 0 {
		text += "\n" + in.foreign(info.URL, strings.Join(said, "\n"))
	}
	return result{text: text, data: info}, nil
}

// place is an address as words of ours may name it. A site writes what comes
// behind its host: an agent is told that apart, with the rest that the page says.
func (in *invocation) place(address string) (name string, said []string) {
	full := line(address, urlShown)
	if !policy.Agent(in.actor) {
		return full, nil
	}
	site := line(origin(address), urlShown)
	if full == site || full == site+"/" || address == "about:blank" {
		return full, nil
	}
	return site, []string{full}
}

// What is shown of an address and a title, in characters.
const (
	urlShown   = 500
	titleShown = 200
)

func runGoto(ctx context.Context, in *invocation) (result, error) {
	address, err := in.address()
	if err != nil {
		return result{}, err
	}
	return in.arrived(in.browser.Navigate(ctx, in.tab, address, in.wait(), in.allow()))
}

// notHosts are kinds of address, whatever stands behind their colon.
var notHosts = map[string]bool{
	"javascript": true, "data": true, "file": true, "about": true, "chrome": true, "blob": true, "mailto": true, "tel": true, "view-source": true, "chrome-extension": true,
}

// schemeless reads an address as people type it: a host, perhaps a port and a
// path. "localhost:3000" is one, though it reads like a scheme.
func schemeless(raw string) (host, port string, ok bool) {
	at := strings.IndexAny(raw, "/?#")
	if at < 0 {
		at = len(raw)
	}
	host = raw[:at]
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i:]
		if digits := port[1:]; digits == "" || len(digits) > 5 || strings.Trim(digits, "0123456789") != "" {
			return "", "", false
		}
	}
	if notHosts[strings.ToLower(host)] && strings.Contains(raw, ":") {
		return "", "", false
	}
	if inner, isIP := strings.CutPrefix(host, "["); isIP {
		inner, closed := strings.CutSuffix(inner, "]")
		return host, port, closed && inner != "" && strings.Trim(inner, "0123456789abcdefABCDEF:.") == "" && !strings.ContainsAny(raw, "\n")
	}
	for i, r := range host {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && (i == 0 || r != '.' && r != '-') {
			return "", "", false
		}
	}
	return host, port, host != "" && !strings.Contains(raw, "\n")
}

// address completes the url argument and asks the policy about it.
func (in *invocation) address() (string, error) {
	raw := strings.TrimSpace(in.args.text("url"))
	full := raw
	if filepath.IsAbs(raw) && !policy.Agent(in.actor) {
		full = (&url.URL{Scheme: "file", Path: raw}).String()
	} else if host, port, ok := schemeless(raw); ok {
		switch {
		case isHere(host):
			full = "http://" + raw
		case port != "" || strings.Contains(host, ".") || strings.HasPrefix(host, "["):
			full = "https://" + raw
		}
	}
	if err := in.policy.URL(in.actor, full); err != nil {
		return "", err
	}
	return full, nil
}

// isHere says whether a host is this machine, where https is the exception.
func isHere(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "[::1]" || host == "0.0.0.0"
}

func runBack(ctx context.Context, in *invocation) (result, error) {
	return in.arrived(in.browser.Back(ctx, in.tab, in.wait(), in.allow()))
}

func runForward(ctx context.Context, in *invocation) (result, error) {
	return in.arrived(in.browser.Forward(ctx, in.tab, in.wait(), in.allow()))
}

func runReload(ctx context.Context, in *invocation) (result, error) {
	// What a person opened here may be more than an agent may load.
	if err := in.readable(ctx); err != nil {
		return result{}, err
	}
	return in.arrived(in.browser.Reload(ctx, in.tab, in.wait(), in.allow()))
}

func runURL(ctx context.Context, in *invocation) (result, error) {
	info, err := in.browser.Page(ctx, in.tab)
	return result{text: in.foreign(info.URL, line(info.URL, 4*urlShown)), data: info}, err
}

func runTitle(ctx context.Context, in *invocation) (result, error) {
	info, err := in.browser.Page(ctx, in.tab)
	return result{text: in.foreign(info.URL, line(info.Title, 4*titleShown)), data: info}, err
}

func runText(ctx context.Context, in *invocation) (result, error) {
	if err := in.readable(ctx); err != nil {
		return result{}, err
	}
	limit := in.args.number("max")
	if limit == 0 {
		limit = protocol.TextLimit
	}
	page, err := in.browser.Text(ctx, in.tab, limit)
	if err != nil {
		return result{}, err
	}
	// It may have gone elsewhere between the two questions.
	if policy.Agent(in.actor) {
		if err := in.policy.URL(in.actor, page.URL); err != nil {
			return result{}, err
		}
	}
	text := in.foreign(page.URL, page.Text)
	if shown := len([]rune(page.Text)); shown < page.Length {
		text += fmt.Sprintf("\n(%d of %d characters; --max shows more)", shown, page.Length)
	}
	return result{text: text, data: page}, nil
}

func runTabs(_ context.Context, in *invocation) (result, error) {
	tabs := in.browser.Tabs()
	var lines []string
	for _, t := range tabs {
		mark := " "
		switch {
		case t.Crashed:
			mark = "!"
		case t.Active:
			mark = "*"
		}
		place, said := in.place(t.URL)
		row := fmt.Sprintf("%s%s %s", mark, t.ID, place)
		if t.ID == in.own {
			row += " (yours)"
		}
		if title := line(t.Title, titleShown); title != "" {
			said = append(said, title)
		}
		if len(said) > 0 {
			row += "  " + in.foreign(t.URL, strings.Join(said, "  "))
		}
		lines = append(lines, row)
	}
	if len(lines) == 0 {
		lines = append(lines, "no tab is open")
	}
	return result{text: strings.Join(lines, "\n"), data: tabs}, nil
}

func runTab(ctx context.Context, in *invocation) (result, error) {
	if err := in.browser.ActivateTab(ctx, in.tab); err != nil {
		return result{}, err
	}
	for _, t := range in.browser.Tabs() {
		if t.ID == in.tab {
			place, said := in.place(t.URL)
			text := fmt.Sprintf("%s is in front: %s", t.ID, place)
			if len(said) > 0 {
				text += "\n" + in.foreign(t.URL, said[0])
			}
			return result{text: text, data: t}, nil
		}
	}
	return result{}, protocol.NewError(protocol.CodeUnknownTab, "tab "+string(in.tab)+" was closed in the meantime", "", protocol.Try("lists the tabs", "tabs"))
}

func runNewTab(ctx context.Context, in *invocation) (result, error) {
	address := ""
	if in.args.text("url") != "" {
		var err error
		if address, err = in.address(); err != nil {
			return result{}, err
		}
	}
	beside := in.own
	if !in.open(beside) {
		beside = "" // its own tab is gone; that is no reason to open none
	}
	background := policy.Agent(in.actor)
	if _, said := in.args["front"]; said {
		background = !in.args.flag("front")
	}
	id, err := in.browser.NewTab(ctx, beside, background)
	if err != nil {
		return result{}, err
	}
	in.tab = id
	in.policy.Opened(in.actor, id)
	if policy.Agent(in.actor) { // before anything is loaded in it, by whomever
		if err := in.gate(ctx, id); err != nil {
			return result{}, err
		}
	}
	if address == "" {
		return result{text: string(id) + " is open", data: protocol.PageInfo{Tab: id, URL: "about:blank"}}, nil
	}
	res, err := in.arrived(in.browser.Navigate(ctx, id, address, in.wait(), in.allow()))
	if err != nil {
		// A tab that shows nothing is in nobody's interest; one that still loads
		// is.
		if protocol.AsError(err).Code == protocol.CodeTimeout {
			return result{}, protocol.AsError(err).Saying(fmt.Sprintf("%s is open, but %s", id, protocol.AsError(err).Message))
		}
		_ = in.browser.CloseTab(context.WithoutCancel(ctx), id)
		in.tab = ""
		return result{}, err
	}
	return res, nil
}

// open says whether a tab is open.
func (in *invocation) open(id protocol.TabID) bool {
	for _, t := range in.browser.Tabs() {
		if t.ID == id {
			return true
		}
	}
	return false
}

func runCloseTab(ctx context.Context, in *invocation) (result, error) {
	if err := in.browser.CloseTab(ctx, in.tab); err != nil {
		return result{}, err
	}
	return result{text: string(in.tab) + " is closed", data: protocol.PageInfo{Tab: in.tab}}, nil
}
