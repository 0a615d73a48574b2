package gate

import (
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
)

// What an answer says of itself decides whether the browser saves it.
func TestSavedAs(t *testing.T) {
	for _, c := range []struct {
		address, disposition, kind string
		status                     int64
		id                         network.RequestID
		name                       string
		saved                      bool
	}{
		{"https://a.test/x", "attachment; filename=\"a b.pdf\"", "application/pdf", 200, "1", "a b.pdf", true},
		{"https://a.test/x", "attachment", "text/html", 200, "1", "x", true},
		{"https://a.test/x", "ATTACHMENT; filename=", "text/html", 200, "1", "x", true},
		{"https://a.test/", "attachment", "text/html", 200, "1", "download", true},
		{"https://a.test/x", "inline; filename=a.html", "text/html", 200, "1", "a.html", false},
		{"https://a.test/x", "filename=a.html", "text/html", 200, "1", "x", false},
		{"https://a.test/x", "", "text/html; charset=utf-8", 200, "1", "x", false},
		{"https://a.test/x", "", "", 200, "1", "x", false},
		{"https://a.test/x.json", "", "application/vnd.api+json", 200, "1", "x.json", false},
		{"https://a.test/x.pdf", "", "application/pdf", 200, "1", "x.pdf", false},
		{"https://a.test/x.zip", "", "application/zip", 200, "1", "x.zip", true},
		{"https://a.test/x.csv", "", "text/csv; charset=utf-8", 200, "1", "x.csv", true},
		{"https://a.test/x", "attachment", "application/zip", 204, "1", "", false},
		{"https://a.test/x.html", "", "text/html", 200, "", "x.html", true}, // a link with the attribute download
	} {
		v := &fetch.EventRequestPaused{Request: &network.Request{URL: c.address}, ResponseStatusCode: c.status, NetworkID: c.id}
		for name, value := range map[string]string{"content-disposition": c.disposition, "Content-Type": c.kind} {
			if value != "" {
				v.ResponseHeaders = append(v.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: value})
			}
		}
		if name, saved := savedAs(v); name != c.name || saved != c.saved {
			t.Errorf("%+v: %q, %v", c, name, saved)
		}
	}
}

// A file is known again when it begins: by its address, and that of a page by its
// origin and name.
func TestFileKey(t *testing.T) {
	for _, c := range []struct {
		one, name, other, otherName string
		same                        bool
	}{
		{"https://a.test/x?y#z", "x", "https://a.test/x?y", "other", true},
		{"https://a.test/x", "x", "https://a.test/y", "x", false},
		{"blob:https://a.test/1-2", "a.txt", "blob:https://a.test/3-4", "a.txt", true},
		{"blob:https://a.test/1-2", "1-2.zip", "blob:https://a.test/3-4", "3-4.zip", true},
		{"blob:https://a.test/1-2", "a.txt", "blob:https://a.test/3-4", "b.txt", false},
		{"blob:https://a.test/1-2", "a.txt", "blob:https://b.test/3-4", "a.txt", false},
		{"data:text/plain,a", "a.txt", "data:text/plain,b", "a.txt", false},
		{"data:text/plain,a", "a.txt", "data:text/plain,a", "a.txt", true},
	} {
		if same := fileKey(c.one, c.name) == fileKey(c.other, c.otherName); same != c.same {
			t.Errorf("%s %s and %s %s: %v", c.one, c.name, c.other, c.otherName, same)
		}
	}
}

// A decision counts for one beginning.
func TestDecisions(t *testing.T) {
	d := newDecisions()
	d.add("a", true)
	d.add("b", false)
	for _, step := range []struct {
		key        string
		begins     bool
		may, known bool
	}{
		{"a", false, true, true},
		{"a", true, true, true},
		{"a", true, false, false},
		{"b", true, false, true},
		{"b", true, false, false},
		{"c", true, false, false},
	} {
		if may, known := d.take(step.key, step.begins); may != step.may || known != step.known {
			t.Errorf("%+v: %v, %v", step, may, known)
		}
	}
}
