package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pilotfish/app/cli/syntax"
)

// The options say the same as the table in settings.toml.
func TestOptions(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		values map[string]string
		want   string // "" for an error
	}{
		{map[string]string{}, "null"},
		{map[string]string{"proxy": "http://h:1", "proxy-bypass": "a, b", "languages": "de-DE,en", "start-pages": "https://a.example/ https://b.example/"}, `{"proxy":"http://h:1","proxyBypass":["a","b"],"languages":["de-DE","en"],"startPages":["https://a.example/","https://b.example/"]}`},
		{map[string]string{"ca-files": "ca.pem", "flags": "--mute-audio"}, `{"caFiles":["` + filepath.Join(here, "ca.pem") + `"],"flags":["--mute-audio"]}`},
		{map[string]string{"accept": "dev.test=ab", "header": "https://a.example X-Env: b: c"}, `{"accept":[{"host":"dev.test","sha256":"ab"}],"headers":[{"origin":"https://a.example","name":"X-Env","value":"b: c"}]}`},
		{map[string]string{"geolocation": "48.5,9.25,10", "geolocation-origins": "https://m.example"}, `{"geolocation":{"latitude":48.5,"longitude":9.25,"accuracy":10,"origins":["https://m.example"]}}`},
		{map[string]string{"header": "https://a.example X-Env"}, ""},
		{map[string]string{"geolocation": "here"}, ""},
		{map[string]string{"geolocation": "1,2,3,4"}, ""},
		{map[string]string{"geolocation": "1,east"}, ""},
		{map[string]string{"geolocation-origins": "https://m.example"}, ""},
	} {
		id, err := identityOf(syntax.Invocation{Values: c.values})
		if (err != nil) != (c.want == "") {
			t.Errorf("%v: %v", c.values, err)
			continue
		}
		if got, _ := json.Marshal(id); err == nil && string(got) != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}
