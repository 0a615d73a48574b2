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

	"github.com/chromedp/cdproto/har"

	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
)

// These types extend the protocol's HAR 1.2 types, whose bodies are bytes: here a
// text body stays readable, and a failed request has the reason of its failure,
// under the name that Chromium's own HAR files use.
type (
	harLog struct {
		har.Log

		Entries []*harEntry `json:"entries"`
	}
	harEntry struct {
		har.Entry

		Response *harResponse `json:"response"`
	}
	harResponse struct {
		har.Response

		Content harContent `json:"content"`
		Error   string     `json:"_error,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIME     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
)

// HAR writes the recorded requests of a tab to a HAR 1.2 file. With secrets,
// cookies and credentials are not masked (package redact says which); with bodies, the file includes the
// response bodies that the browser still has.
func (o *Observer) HAR(ctx context.Context, by protocol.Caller, id protocol.TabID, bodies, secrets bool) (protocol.SavedFile, error) {
	n, err := o.networkOf(ctx, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	info, err := o.config.Page(ctx, by, id)
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
	unknown := -1.0
	log := harLog{Log: har.Log{
		Version: "1.2", Creator: &har.Creator{Name: "Pilotfish", Version: protocol.Version}, Browser: &har.Creator{Name: browserInfo.Name, Version: browserInfo.Version},
		Pages: []*har.Page{{
			StartedDateTime: harTime(n.since), ID: string(id), Title: unsecret(cmp.Or(info.Title, info.URL, string(id)), secrets),
			PageTimings: &har.PageTimings{OnContentLoad: &unknown, OnLoad: &unknown},
		}},
	}, Entries: make([]*harEntry, 0, len(all))}
	size := 0
	for i := range all {
		e := all[i].har(string(id), secrets)
		if bodies && all[i].Done && all[i].Failed == "" && size < networkBuffer {
			if data, err := bodyOf(ctx, all[i].key); err == nil {
				size += len(data)
				e.Response.Content.Size = len(data)
				if utf8.Valid(data) {
					e.Response.Content.Text = unsecret(string(data), secrets)
				} else {
					e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(data), "base64"
				}
			}
		}
		log.Entries = append(log.Entries, e)
	}
	data, err := json.MarshalIndent(map[string]harLog{"log": log}, "", " ")
	if err != nil {
		return protocol.SavedFile{}, err
	}
	saved, err := o.config.Folder.Save("har", string(id), "har", o.masked(data))
	saved.Entries = len(all)
	return saved, err
}

func harTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (t *traffic) har(page string, secrets bool) *harEntry {
	version, timings := httpVersion(t.Protocol), t.harTimings()
	e := &harEntry{
		Entry: har.Entry{
			Pageref: page, StartedDateTime: harTime(t.At), Time: totalOf(timings), Cache: &har.Cache{}, Timings: timings, Comment: t.From,
			Request: &har.Request{
				Method: t.Method, URL: unsecret(t.URL, secrets), HTTPVersion: version, Cookies: []*har.Cookie{}, Headers: harHeaders(t.RequestHeaders, secrets),
				QueryString: []*har.NameValuePair{}, HeadersSize: -1, BodySize: int64(len(t.PostData)),
			},
		},
		Response: &harResponse{
			Response: har.Response{
				Status: int64(t.Status), StatusText: t.StatusText, HTTPVersion: version, Cookies: []*har.Cookie{},
				Headers: harHeaders(t.ResponseHeaders, secrets), RedirectURL: unsecret(t.redirect, secrets), HeadersSize: -1, BodySize: -1,
			},
			Content: harContent{Size: t.Bytes, MIME: cmp.Or(t.MIME, "x-unknown")}, Error: t.Failed,
		},
	}
	if u, err := url.Parse(t.URL); err == nil {
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[name] {
				e.Request.QueryString = append(e.Request.QueryString, &har.NameValuePair{Name: name, Value: mask(unsecret(value, secrets), secrets || !redact.Field(name))})
			}
		}
	}
	if header := t.RequestHeaders["cookie"]; header != "" {
		cookies, _ := http.ParseCookie(header) // unreadable cookies stay in the header only
		for _, c := range cookies {
			e.Request.Cookies = append(e.Request.Cookies, harCookie(c, secrets))
		}
	}
	for line := range strings.SplitSeq(t.ResponseHeaders["set-cookie"], "\n") {
		if c, err := http.ParseSetCookie(line); err == nil {
			e.Response.Cookies = append(e.Response.Cookies, harCookie(c, secrets))
		}
	}
	if t.PostData != "" {
		e.Request.PostData = &har.PostData{
			MimeType: cmp.Or(t.RequestHeaders["content-type"], "application/octet-stream"), Params: []*har.Param{}, Text: mask(t.PostData, secrets),
		}
	}
	if host, _, ok := strings.Cut(t.RemoteAddress, "]"); ok {
		e.ServerIPAddress = strings.TrimPrefix(host, "[")
	} else {
		e.ServerIPAddress, _, _ = strings.Cut(t.RemoteAddress, ":")
	}
	return e
}

func mask(value string, secrets bool) string {
	if secrets {
		return value
	}
	return redact.Masked
}

// unsecret masks the credentials in a text, unless secrets are requested.
func unsecret(text string, secrets bool) string {
	if secrets {
		return text
	}
	return redact.Text(text)
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

func harHeaders(h map[string]string, secrets bool) []*har.NameValuePair {
	out := make([]*har.NameValuePair, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		out = append(out, &har.NameValuePair{Name: name, Value: mask(unsecret(h[name], secrets), secrets || !redact.Header(name))})
	}
	return out
}

func harCookie(c *http.Cookie, secrets bool) *har.Cookie {
	return &har.Cookie{Name: c.Name, Value: mask(c.Value, secrets), Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
}

// totalOf returns how long a request took, as HAR defines it: the sum of its
// phases, in milliseconds (ssl is part of connect). For a request that has not
// ended it is the sum of the phases that have.
func totalOf(t *har.Timings) float64 {
	return max(0, *t.Blocked) + max(0, *t.DNS) + max(0, *t.Connect) + t.Send + t.Wait + t.Receive
}

// harTimings returns the phases of a request in milliseconds; -1 means that a
// phase does not apply. Their sum is the whole time.
func (t *traffic) harTimings() *har.Timings {
	blocked, dns, connect, ssl := -1.0, -1.0, -1.0, -1.0
	ms := &har.Timings{Blocked: &blocked, DNS: &dns, Connect: &connect, Ssl: &ssl, Wait: t.DurationMS}
	r := t.timing
	if r == nil {
		return ms
	}
	span := func(from, to float64) float64 {
		if from < 0 || to < from {
			return -1
		}
		return to - from
	}
	dns, connect, ssl = span(r.DNSStart, r.DNSEnd), span(r.ConnectStart, r.ConnectEnd), span(r.SslStart, r.SslEnd)
	ms.Send = max(0, span(r.SendStart, r.SendEnd))
	ms.Wait = max(0, span(r.SendEnd, r.ReceiveHeadersEnd))
	known := max(0, dns) + max(0, connect) + ms.Send + ms.Wait
	offset := max(0, (r.RequestTime-t.began)*1000)
	ms.Receive = max(0, t.DurationMS-offset-r.ReceiveHeadersEnd)
	blocked = max(0, t.DurationMS-known-ms.Receive)
	return ms
}
