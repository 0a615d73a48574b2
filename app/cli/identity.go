package main

import (
	"errors"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// identityOptions are the options of `sessions start` and `sessions new` for the identity and the network
// of a session.
func identityOptions() []syntax.Arg {
	return []syntax.Arg{
		{Name: "browser", Flag: true, Help: "your own browser instead of one of the session's: my-chrome, chrome, chromium, edge, brave, vivaldi, the folder of its profiles, or by-hand for one without remote debugging, in which you install the extension; or an engine elsewhere: wss://HOST/… or grid+https://HOST/"},
		{Name: "in", Flag: true, Help: "the session in whose browser this one opens, with cookies, storage and tabs of its own and a fraction of the memory. It has no panel, its cookies are gone when it stops, and it ends with that session"},
		{Name: "browser-header", Flag: true, Help: "a header for that engine: \"Authorization: Bearer KEY\""},
		{Name: "browser-secret", Flag: true, Help: "the secret that stands for {secret} in --browser and --browser-header"},
		{Name: "color", Flag: true, Help: "the colour of the session's windows: #1a73e8"},
		{Name: "profile", Flag: true, Help: "own, temporary (nothing of it stays), or copy:NAME of another session, once"},
		{Name: "proxy", Flag: true, Help: "http://HOST:PORT, https://… or socks5://…, with USER:PASSWORD@ before the host if it needs a login"},
		{Name: "proxy-secret", Flag: true, Help: "the secret with the proxy's password, instead of a password in --proxy"},
		{Name: "proxy-bypass", Flag: true, Help: "hosts and networks to reach without the proxy, with commas between"},
		{Name: "user-agent", Flag: true, Help: "what the browser calls itself"},
		{Name: "languages", Flag: true, Help: "the languages to ask pages for, the preferred one first: de-DE,en"},
		{Name: "start-pages", Flag: true, Help: "the first pages, with spaces between"},
		{Name: "ca-files", Flag: true, Help: "files with authorities (PEM) that this session trusts, with commas between"},
		{Name: "accept", Flag: true, Help: "certificates that are accepted for one host although they are not valid, with commas between: HOST=SHA-256"},
		{Name: "header", Flag: true, Help: "a header for one origin: \"https://api.example.com X-Env: staging\""},
		{Name: "geolocation", Flag: true, Help: "the geolocation that pages get: LATITUDE,LONGITUDE[,METRES]"},
		{Name: "geolocation-origins", Flag: true, Help: "origins that may read the geolocation without asking, with commas between"},
		{Name: "extensions", Flag: true, Help: "folders with further extensions, with commas between"},
		{Name: "flags", Flag: true, Help: "further switches of the browser that are safe, with spaces between"},
	}
}

// identityOf returns what the options say; nil when none is given.
func identityOf(in syntax.Invocation) (*protocol.SessionIdentity, error) {
	v := in.Values
	id := protocol.SessionIdentity{
		Browser: v["browser"], BrowserHeader: v["browser-header"], BrowserSecret: v["browser-secret"], Color: v["color"], Profile: v["profile"], Proxy: v["proxy"], ProxySecret: v["proxy-secret"], ProxyBypass: splitCommas(v["proxy-bypass"]),
		UserAgent: v["user-agent"], Languages: splitCommas(v["languages"]), StartPages: strings.Fields(v["start-pages"]),
	}
	if in := v["in"]; in != "" {
		id.Browser = protocol.BrowserIn + in
	}
	if strings.ContainsRune(id.Browser, filepath.Separator) && !strings.Contains(id.Browser, "://") {
		id.Browser = absolutePaths([]string{id.Browser})[0]
	}
	id.CAFiles, id.Extensions, id.Flags = absolutePaths(splitCommas(v["ca-files"])), absolutePaths(splitCommas(v["extensions"])), strings.Fields(v["flags"])
	for _, pair := range splitCommas(v["accept"]) {
		host, sum, _ := strings.Cut(pair, "=")
		id.Accept = append(id.Accept, protocol.AcceptedCertificate{Host: host, SHA256: sum})
	}
	if header := v["header"]; header != "" {
		origin, rest, _ := strings.Cut(header, " ")
		name, value, ok := strings.Cut(rest, ":")
		if !ok {
			return nil, in.UsageError("--header needs an origin, a name and a value: \"https://api.example.com X-Env: staging\"")
		}
		id.Headers = []protocol.OriginHeader{{Origin: origin, Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}}
	}
	if v["geolocation"] != "" || v["geolocation-origins"] != "" {
		where, err := geolocationOf(v["geolocation"])
		if err != nil {
			return nil, in.UsageError("%v", err)
		}
		where.Origins = splitCommas(v["geolocation-origins"])
		id.Geolocation = where
	}
	if len(id.StartPages) == 0 {
		id.StartPages = nil
	}
	if len(id.Flags) == 0 {
		id.Flags = nil
	}
	if reflect.ValueOf(id).IsZero() {
		return nil, nil //nolint:nilnil // no option is no error
	}
	return &id, nil
}

// splitCommas splits a list.
func splitCommas(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// absolutePaths makes paths of the command line independent of its folder.
func absolutePaths(paths []string) []string {
	for i, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			paths[i] = whole
		}
	}
	return paths
}

// geolocationOf reads "48.5,9.25" or "48.5,9.25,100".
func geolocationOf(text string) (*protocol.Geolocation, error) {
	var numbers [3]float64
	parts := splitCommas(text)
	if len(parts) < 2 || len(parts) > len(numbers) {
		return nil, errGeolocation
	}
	for i, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, errGeolocation
		}
		numbers[i] = n
	}
	return &protocol.Geolocation{Latitude: numbers[0], Longitude: numbers[1], Accuracy: numbers[2]}, nil
}

var errGeolocation = errors.New("--geolocation needs a latitude and a longitude: 48.52,9.05")
