package observe

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// The parts of a HAR 1.2 document.
type (
	harFile struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harNamed   `json:"creator"`
		Browser harNamed   `json:"browser"`
		Pages   []harPage  `json:"pages"`
		Entries []harEntry `json:"entries"`
	}
	harNamed struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harPage struct {
		Started string         `json:"startedDateTime"`
		ID      string         `json:"id"`
		Title   string         `json:"title"`
		Timings map[string]any `json:"pageTimings"`
	}
	harEntry struct {
		PageRef  string         `json:"pageref,omitempty"`
		Started  string         `json:"startedDateTime"`
		Time     float64        `json:"time"`
		Request  harRequest     `json:"request"`
		Response harResponse    `json:"response"`
		Cache    map[string]any `json:"cache"`
		Timings  harTimings     `json:"timings"`
		ServerIP string         `json:"serverIPAddress,omitempty"`
		Comment  string         `json:"comment,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		Query       []harPair `json:"queryString"`
		Post        *harPost  `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	harPost struct {
		MIME   string    `json:"mimeType"`
		Params []harPair `json:"params"`
		Text   string    `json:"text"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
		Error       string     `json:"_error,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIME     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
		SSL     float64 `json:"ssl"`
	}
)

// Masked is what stands for a value that its reader is not to have.
const masked = "(masked)"

// secretHeader says whether the value of a header lets its holder act for the
// person.
func secretHeader(name string) bool {
	switch strings.ToLower(name) {
	case "cookie", "set-cookie", "authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-csrf-token", "x-xsrf-token":
		return true
	}
	return false
}

// HAR writes what a tab asked the network for into a HAR 1.2 file. secrets
// leaves cookies and credentials in it; bodies takes the answers' bodies in
// that the browser still has.
func (o *Observer) HAR(ctx context.Context, id protocol.TabID, bodies, secrets bool) (protocol.SavedFile, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	info, err := o.config.Page(ctx, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	n.mu.Lock()
	all := make([]traffic, len(n.ring.Items))
	for i, t := range n.ring.Items {
		all[i] = *t
		all[i].NetworkEntry = t.copy()
	}
	n.mu.Unlock()
	browserInfo := o.config.Info()
	file := harFile{Log: harLog{
		Version: "1.2", Creator: harNamed{"Pilotfish", protocol.Version}, Browser: harNamed{browserInfo.Name, browserInfo.Version},
		Pages:   []harPage{{Started: harTime(n.since), ID: string(id), Title: cmp.Or(info.Title, info.URL, string(id)), Timings: map[string]any{"onContentLoad": -1, "onLoad": -1}}},
		Entries: make([]harEntry, 0, len(all)),
	}}
	size := 0
	for i := range all {
		e := all[i].har(string(id), secrets)
		if bodies && all[i].Done && all[i].Failed == "" && size < networkBuffer {
			if data, err := bodyOf(ctx, all[i].key); err == nil {
				size += len(data)
				e.Response.Content.Size = len(data)
				if utf8.Valid(data) {
					e.Response.Content.Text = string(data)
				} else {
					e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(data), "base64"
				}
			}
		}
		file.Log.Entries = append(file.Log.Entries, e)
	}
	data, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return protocol.SavedFile{}, err
	}
	saved, err := o.config.Folder.Save("har", string(id), "har", data)
	saved.Entries = len(all)
	return saved, err
}

func harTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (t *traffic) har(page string, secrets bool) harEntry {
	version, timings := httpVersion(t.Protocol), t.harTimings()
	e := harEntry{
		PageRef: page, Started: harTime(t.At), Time: timings.total(), Cache: map[string]any{}, Timings: timings, Comment: t.From,
		Request: harRequest{
			Method: t.Method, URL: t.URL, HTTPVersion: version, Cookies: []harPair{}, Headers: harHeaders(t.RequestHeaders, secrets),
			Query: []harPair{}, HeadersSize: -1, BodySize: len(t.PostData),
		},
		Response: harResponse{
			Status: t.Status, StatusText: t.StatusText, HTTPVersion: version, Cookies: []harPair{}, Headers: harHeaders(t.ResponseHeaders, secrets),
			Content: harContent{Size: t.Bytes, MIME: cmp.Or(t.MIME, "x-unknown")}, RedirectURL: t.redirect, HeadersSize: -1, BodySize: -1, Error: t.Failed,
		},
	}
	if u, err := url.Parse(t.URL); err == nil {
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[name] {
				e.Request.Query = append(e.Request.Query, harPair{name, value})
			}
		}
	}
	if header := t.RequestHeaders["cookie"]; header != "" {
		cookies, _ := http.ParseCookie(header) // what cannot be read stays in the header
		for _, c := range cookies {
			e.Request.Cookies = append(e.Request.Cookies, harPair{c.Name, mask(c.Value, secrets)})
		}
	}
	for line := range strings.SplitSeq(t.ResponseHeaders["set-cookie"], "\n") {
		if c, err := http.ParseSetCookie(line); err == nil {
			e.Response.Cookies = append(e.Response.Cookies, harPair{c.Name, mask(c.Value, secrets)})
		}
	}
	if t.PostData != "" {
		e.Request.Post = &harPost{MIME: cmp.Or(t.RequestHeaders["content-type"], "application/octet-stream"), Params: []harPair{}, Text: mask(t.PostData, secrets)}
	}
	if host, _, ok := strings.Cut(t.RemoteAddress, "]"); ok {
		e.ServerIP = strings.TrimPrefix(host, "[")
	} else {
		e.ServerIP, _, _ = strings.Cut(t.RemoteAddress, ":")
	}
	return e
}

func mask(value string, secrets bool) string {
	if secrets {
		return value
	}
	return masked
}

func httpVersion(p string) string {
	switch p {
	case "h2":
		return "HTTP/2"
	case "h3":
		return "HTTP/3"
	case "":
		return "unknown"
	}
	return strings.ToUpper(p)
}

func harHeaders(h map[string]string, secrets bool) []harPair {
	out := make([]harPair, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		out = append(out, harPair{name, mask(h[name], secrets || !secretHeader(name))})
	}
	return out
}

// total is how long a request took as HAR says it: the sum of its phases. One
// that has not ended yet has those that are over.
func (t harTimings) total() float64 {
	return max(0, t.Blocked) + max(0, t.DNS) + max(0, t.Connect) + t.Send + t.Wait + t.Receive // ssl is part of connect
}

// harTimings are the phases of a request in milliseconds; -1 does not apply.
// They add up to the whole.
func (t *traffic) harTimings() harTimings {
	r := t.timing
	if r == nil {
		return harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: t.DurationMS}
	}
	span := func(from, to float64) float64 {
		if from < 0 || to < from {
			return -1
		}
		return to - from
	}
	ms := harTimings{DNS: span(r.DNSStart, r.DNSEnd), Connect: span(r.ConnectStart, r.ConnectEnd), SSL: span(r.SslStart, r.SslEnd)}
	ms.Send = max(0, span(r.SendStart, r.SendEnd))
	ms.Wait = max(0, span(r.SendEnd, r.ReceiveHeadersEnd))
	known := max(0, ms.DNS) + max(0, ms.Connect) + ms.Send + ms.Wait // ssl is part of connect
	offset := max(0, (r.RequestTime-t.began)*1000)
	ms.Receive = max(0, t.DurationMS-offset-r.ReceiveHeadersEnd)
	ms.Blocked = max(0, t.DurationMS-known-ms.Receive)
	return ms
}
