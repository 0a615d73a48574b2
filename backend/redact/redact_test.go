package redact

import (
	"strings"
	"testing"
)

// Each text has the secret values s3cr3t-value or a form that is a secret by
// itself; what is returned keeps the rest.
func TestText(t *testing.T) {
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
	for text, want := range map[string]string{
		// JSON
		`{"user":"Ann", "access_token": "s3cr3t-value",  "n": 1}`:       `{"user":"Ann", "access_token": "(masked)",  "n": 1}`,
		`{"accessToken":"a\"b\\","z":["x"]}`:                            `{"accessToken":"(masked)","z":["x"]}`,
		`{"password":"s3cr3t-value"}`:                                   `{"password":"(masked)"}`,
		`{"apiKey":"s3cr3t-value","api_key":"s3cr3t-value"}`:            `{"apiKey":"(masked)","api_key":"(masked)"}`,
		`{"client_secret":"s3cr3t-value","pin":1234,"ok":true}`:         `{"client_secret":"(masked)","pin":"(masked)","ok":true}`,
		`{"session":"s3cr3t-value","session_id":"s3cr3t-value"}`:        `{"session":"(masked)","session_id":"(masked)"}`,
		`{"session":{"user":"Ann","token":"s3cr3t-value"}}`:             `{"session":{"user":"Ann","token":"(masked)"}}`,
		`{"tokens":["s3cr3t-value",["s3cr3t-value"]],"n":"x"}`:          `{"tokens":["(masked)",["(masked)"]],"n":"x"}`,
		`[{"a":{"b":[{"csrfToken":"s3cr3t-value"}]}}]`:                  `[{"a":{"b":[{"csrfToken":"(masked)"}]}}]`,
		`{"data":"{\"token\":\"s3cr3t-value\",\"a\":1}"}`:               `{"data":"{\"token\":\"(masked)\",\"a\":1}"}`,
		`{"x":"` + jwt + `"}`:                                           `{"x":"(masked)"}`,
		`"` + jwt + `"`:                                                 `"(masked)"`,
		`{"next":"https://a.example/cb?code=1&token=s3cr3t-value&b=2"}`: `{"next":"https://a.example/cb?code=1\u0026token=(masked)\u0026b=2"}`,
		`{"token":"","secret":null,"token_type":"bearer"}`:              `{"token":"","secret":null,"token_type":"bearer"}`,
		"{\"token\":\"s3cr3t-value\"}\n{\"token\":\"s3cr3t-value\"}\n":  "{\"token\":\"(masked)\"}\n{\"token\":\"(masked)\"}\n",
		`{"tok\u0065n":"s3cr3t-value"}`:                                 `{"tok\u0065n":"(masked)"}`,
		// JSON that is cut off, and other texts with fields
		`{"a":1,"refresh_token":"s3cr3t-value","b":"x`:     `{"a":1,"refresh_token":"(masked)","b":"x`,
		`{"a":1,"refresh_token":"s3cr3t-val`:               `{"a":1,"refresh_token":"(masked)"`,
		`)]}',` + "\n" + `{"token":"s3cr3t-value"}`:        `)]}',` + "\n" + `{"token":"(masked)"}`,
		`window.config = {token: 's3cr3t-value', a: 'b'}`:  `window.config = {token: '(masked)', a: 'b'}`,
		`<script>var s={"apiKey":"s3cr3t-value"}</script>`: `<script>var s={"apiKey":"(masked)"}</script>`,
		// forms and queries
		`user=Ann&password=s3cr3t-value&x=1`:                                                    `user=Ann&password=(masked)&x=1`,
		`password=s3cr3t-value`:                                                                 `password=(masked)`,
		`grant_type=refresh_token&refresh_token=s3cr3t-value`:                                   `grant_type=refresh_token&refresh_token=(masked)`,
		`https://a.example/x?api_key=s3cr3t-value&q=cats#top`:                                   `https://a.example/x?api_key=(masked)&q=cats#top`,
		`https://a.example/#access_token=s3cr3t-value&state=1`:                                  `https://a.example/#access_token=(masked)&state=1`,
		`https://a.example/?to=%2Fx%3Ftoken%3Ds3cr3t-value`:                                     `https://a.example/?to=%2Fx%3Ftoken%3D(masked)`,
		"--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t-value\r\n--b--": "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n(masked)\r\n--b--",
		// headers and values by their form
		"GET / HTTP/1.1\r\nCookie: a=s3cr3t-value\r\nAccept: */*": "GET / HTTP/1.1\r\nCookie: (masked)\r\nAccept: */*",
		"Authorization: Digest s3cr3t-value":                      "Authorization: (masked)",
		"proxy-authorization: s3cr3t-value":                       "proxy-authorization: (masked)",
		"Set-Cookie: sid=s3cr3t-value; Path=/":                    "Set-Cookie: (masked)",
		"curl -H 'x: Bearer s3cr3t-value'":                        "curl -H 'x: Bearer (masked)'",
		"before " + jwt + " after":                                "before (masked) after",
		"key sk-abcdefghijklmnop1234 end":                         "key (masked) end",
		"ghp_abcdefghijklmnop1234":                                "(masked)",
		// payment cards
		`{"cvc":"123","cardNumber":4111111111111112,"n":4111111111111111}`: `{"cvc":"(masked)","cardNumber":"(masked)","n":"(masked)"}`,
		`{"card":"3782 822463 10005","t":1732546033124}`:                   `{"card":"(masked)","t":1732546033124}`,
		`card=4111+1111+1111+1111&n=4111111111111112`:                      `card=(masked)&n=4111111111111112`,
		// HTML
		`<input type="hidden" name="csrf_token" value="s3cr3t-value">`:     `<input type="hidden" name="csrf_token" value="(masked)">`,
		`<meta content='s3cr3t-value' name='csrf-token'><p>token</p>`:      `<meta content="(masked)" name='csrf-token'><p>token</p>`,
		`<input type=password value=s3cr3t-value><input name=q value=cat>`: `<input type=password value="(masked)"><input name=q value=cat>`,
		// nothing to mask
		"":                                     "",
		"a plain text about a token, a secret": "a plain text about a token, a secret",
		`{"name":"Ann","key":"value","author":"Bob"}`: `{"name":"Ann","key":"value","author":"Bob"}`,
		`a=1&b=2`:                           `a=1&b=2`,
		`https://a.example/?q=token&page=2`: `https://a.example/?q=token&page=2`,
		`if (a && b) { x = token + 1; }`:    `if (a && b) { x = token + 1; }`,
	} {
		got := Text(text)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if strings.Contains(got, "s3cr3t") {
			t.Errorf("%s keeps the secret", got)
		}
		if again := Text(got); again != got {
			t.Errorf("masked twice, %s is %s", got, again)
		}
	}
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "Proxy-Authorization": true, "cookie": true, "Set-Cookie": true, "X-API-Key": true, "X-Auth-Token": true,
		"X-CSRF-Token": true, "x-xsrf-token": true, "X-Amz-Security-Token": true,
		"Accept": false, "Content-Type": false, "Cookie-Policy": false, "Author": false, "Keep-Alive": false, "WWW-Authenticate": false,
	} {
		if Header(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// FuzzText finds texts for which the place of a value in JSON is wrong.
func FuzzText(f *testing.F) {
	f.Add(`{"token":"a\\\"b","x":["\u0022"]}`)
	f.Fuzz(func(_ *testing.T, text string) { Text(text) })
}
