package policy

import "testing"

// A pattern is about one origin only if the text before its first * contains
// the whole origin.
func TestPatternOrigin(t *testing.T) {
	for pattern, want := range map[string]string{
		"https://a.example/*": "https://a.example", "https://a.example/": "https://a.example", "http://a.example:8080/x*y": "http://a.example:8080",
		"http://[::1]:80/*": "http://[::1]:80", "https://a.example/?u=https://b.example/*": "https://a.example",
		"*": "", "": "", "*/app.js": "", "a.example/*": "", "https://a.example*": "", "https://*.example/": "", "https://a.example:*/": "",
		"*://a.example/*": "", "http*://a.example/*": "", "https://a.example": "", "https://user@a.example/*": "", "https:///*": "",
		`https://a.example\.b.example/*`: "", "https://a.example?/*": "", "https://a.example#/*": "", "file:///etc/*": "", "data:text/html,*": "",
	} {
		got, one := PatternOrigin(pattern)
		if got != want || one != (want != "") {
			t.Errorf("%s: %q, %v", pattern, got, one)
		}
	}
}
