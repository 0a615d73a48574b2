package observe

import (
	"cmp"
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
	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
)

// harRequest is a recorded request, with what only its HAR entry shows.
type harRequest struct {
	protocol.NetworkEntry

	Redirect string                  // where its answer leads; "" for nowhere
	Began    float64                 // the browser's clock, in seconds
	Timing   *network.ResourceTiming // nil when it is not known
}

// harPage is the page whose requests a file has.
type harPage struct {
	ID, Title string
	Since     time.Time // since when they were recorded
}

// harFile is a HAR file that grows by Add.
type harFile struct {
	log     harLog
	page    harPage
	secrets bool
}

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

		Content content `json:"content"`
		Error   string  `json:"_error,omitempty"`
	}
	content struct {
		Size     int    `json:"size"`
		MIME     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
)

// newHAR returns a file without requests. browser and version say which browser recorded
// them. With secrets, cookies and credentials are not masked.
func newHAR(browser, version string, page harPage, secrets bool) *harFile {
	unknown := -1.0
	return &harFile{page: page, secrets: secrets, log: harLog{Log: har.Log{
		Version: "1.2", Creator: &har.Creator{Name: "Pilotfish", Version: protocol.Version}, Browser: &har.Creator{Name: browser, Version: version},
		Pages: []*har.Page{{
			StartedDateTime: timeText(page.Since), ID: page.ID, Title: unsecret(page.Title, secrets),
			PageTimings: &har.PageTimings{OnContentLoad: &unknown, OnLoad: &unknown},
		}},
	}, Entries: []*harEntry{}}}
}

// Add adds a request. body is the response's body; nil when it is not known.
func (f *harFile) Add(r *harRequest, body []byte) {
	e := r.entry(f.page.ID, f.secrets)
	if body != nil {
		e.Response.Content.Size = len(body)
		if utf8.Valid(body) {
			e.Response.Content.Text = unsecret(string(body), f.secrets)
		} else {
			e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
		}
	}
	f.log.Entries = append(f.log.Entries, e)
}

// JSON returns the file.
func (f *harFile) JSON() ([]byte, error) {
	return json.MarshalIndent(map[string]harLog{"log": f.log}, "", " ")
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (r *harRequest) entry(page string, secrets bool) *harEntry {
	version, timings := httpVersion(r.Protocol), r.Phases()
	e := &harEntry{
		Entry: har.Entry{
			Pageref: page, StartedDateTime: timeText(r.At), Time: totalTime(timings), Cache: &har.Cache{}, Timings: timings, Comment: r.From,
			Request: &har.Request{
				Method: r.Method, URL: unsecret(r.URL, secrets), HTTPVersion: version, Cookies: []*har.Cookie{}, Headers: harHeaders(r.RequestHeaders, secrets),
				QueryString: []*har.NameValuePair{}, HeadersSize: -1, BodySize: int64(len(r.PostData)),
			},
		},
		Response: &harResponse{
			Response: har.Response{
				Status: int64(r.Status), StatusText: r.StatusText, HTTPVersion: version, Cookies: []*har.Cookie{},
				Headers: harHeaders(r.ResponseHeaders, secrets), RedirectURL: unsecret(r.Redirect, secrets), HeadersSize: -1, BodySize: -1,
			},
			Content: content{Size: r.Bytes, MIME: cmp.Or(r.MIME, "x-unknown")}, Error: r.Failed,
		},
	}
	if u, err := url.Parse(r.URL); err == nil {
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[name] {
				e.Request.QueryString = append(e.Request.QueryString, &har.NameValuePair{Name: name, Value: maskUnless(unsecret(value, secrets), secrets || !redact.Field(name))})
			}
		}
	}
	if header := r.RequestHeaders["cookie"]; header != "" {
		cookies, _ := http.ParseCookie(header) // unreadable cookies stay in the header only
		for _, c := range cookies {
			e.Request.Cookies = append(e.Request.Cookies, harCookie(c, secrets))
		}
	}
	for line := range strings.SplitSeq(r.ResponseHeaders["set-cookie"], "\n") {
		if c, err := http.ParseSetCookie(line); err == nil {
			e.Response.Cookies = append(e.Response.Cookies, harCookie(c, secrets))
		}
	}
	if r.PostData != "" {
		e.Request.PostData = &har.PostData{
			MimeType: cmp.Or(r.RequestHeaders["content-type"], "application/octet-stream"), Params: []*har.Param{}, Text: maskUnless(r.PostData, secrets),
		}
	}
	if host, _, ok := strings.Cut(r.RemoteAddress, "]"); ok {
		e.ServerIPAddress = strings.TrimPrefix(host, "[")
	} else {
		e.ServerIPAddress, _, _ = strings.Cut(r.RemoteAddress, ":")
	}
	return e
}

func maskUnless(value string, secrets bool) string {
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
		out = append(out, &har.NameValuePair{Name: name, Value: maskUnless(unsecret(h[name], secrets), secrets || !redact.Header(name))})
	}
	return out
}

func harCookie(c *http.Cookie, secrets bool) *har.Cookie {
	return &har.Cookie{Name: c.Name, Value: maskUnless(c.Value, secrets), Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
}

// totalTime returns how long a request took, as HAR defines it: the sum of its
// phases, in milliseconds (ssl is part of connect). For a request that has not
// ended it is the sum of the phases that have.
func totalTime(t *har.Timings) float64 {
	return max(0, *t.Blocked) + max(0, *t.DNS) + max(0, *t.Connect) + t.Send + t.Wait + t.Receive
}

// Phases returns the phases of a request in milliseconds; -1 means that a
// phase does not apply. Their sum is the whole time.
func (r *harRequest) Phases() *har.Timings {
	blocked, dns, connect, ssl := -1.0, -1.0, -1.0, -1.0
	ms := &har.Timings{Blocked: &blocked, DNS: &dns, Connect: &connect, Ssl: &ssl, Wait: r.DurationMS}
	t := r.Timing
	if t == nil {
		return ms
	}
	span := func(from, to float64) float64 {
		if from < 0 || to < from {
			return -1
		}
		return to - from
	}
	dns, connect, ssl = span(t.DNSStart, t.DNSEnd), span(t.ConnectStart, t.ConnectEnd), span(t.SslStart, t.SslEnd)
	ms.Send = max(0, span(t.SendStart, t.SendEnd))
	ms.Wait = max(0, span(t.SendEnd, t.ReceiveHeadersEnd))
	known := max(0, dns) + max(0, connect) + ms.Send + ms.Wait
	offset := max(0, (t.RequestTime-r.Began)*1000)
	ms.Receive = max(0, r.DurationMS-offset-t.ReceiveHeadersEnd)
	blocked = max(0, r.DurationMS-known-ms.Receive)
	return ms
}
