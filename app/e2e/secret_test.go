package e2e

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// signIn is a page with secrets. It sends them, and writes to its console and into an
// error, as pages do.
const signIn = `<!doctype html><title>Sign in</title><main><h1>Sign in</h1>
<form id=form><label>Name <input id=name name=name></label>
<label>Password <input id=pass name=password type=password></label>
<label>Card <input id=card name=card autocomplete=cc-number></label>
<label>Code <input id=code name=otp autocomplete=one-time-code></label>
<label>Notes <textarea id=notes></textarea></label>
<button id=send>Send</button></form><p id=said></p></main>
<script>form.onsubmit = async (e) => {
	e.preventDefault();
	const body = JSON.stringify({ name: form.name.value, password: pass.value, card_number: card.value, otp: code.value });
	const answer = await fetch('/login', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + pass.value }, body });
	await fetch('/form', { method: 'POST', body: new URLSearchParams(new FormData(form)) });
	console.log('sent', form.name.value);
	said.textContent = 'Sent ' + answer.status;
};</script>`

// The secrets: a password, a card, a one-time code.
func secrets() map[string]string {
	return map[string]string{"#pass": "swordfish&77 Zq", "#card": "4111111111111111", "#code": "918273"}
}

// written returns the forms in which a secret may be written.
func written(secret string) []string {
	whole := secret[:len(secret)-len(secret)%3] // base64 of more goes on differently
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(whole)),
		strings.ReplaceAll(secret, "&", "&amp;"), strings.ReplaceAll(secret, "&", `\u0026`),
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// TestSecretsAreNotReadBack is THREATS 50: what the user filled into a password field, a
// card field and a field for a code is nowhere in what an agent can read of the page, and
// in nothing that Pilotfish keeps.
func TestSecretsAreNotReadBack(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
			_, _ = w.Write(body) // as a server that says what it got
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if _, password, _ := r.BasicAuth(); r.URL.Path == "/staff" && password != secrets()["#pass"] {
			w.Header().Set("WWW-Authenticate", `Basic realm="Staff only"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, signIn)
	}))
	defer server.Close()
	p, _, panel := shared(t)
	p.startTerminal(panel, protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: "bash -i"})
	p.untilScreen(panel, "ready>")
	p.cli("goto", server.URL, "--tab", "t1")
	p.typeLine(panel, "clear; pilotfish network >/dev/null; pilotfish console >/dev/null; pilotfish record start && echo recording$?")
	p.untilScreen(panel, "recording0")
	p.cli("fill", "#name", "ada", "--tab", "t1")
	for field, secret := range secrets() {
		p.cli("fill", field, secret, "--tab", "t1")
	}
	p.cli("click", "#send", "--tab", "t1")
	p.cli("wait", "text", "Sent 200", "--tab", "t1")

	out := filepath.Join(p.stateDir(), "..", "work", "read")
	p.typeLine(panel, fmt.Sprintf("clear; bash %s %s; echo over$?", filepath.Join(repoRoot(t), "app/e2e/testdata/readback.sh"), out))
	p.untilScreen(panel, "over0")
	said, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	ways := strings.Split(string(said), "== ")[1:]
	picture := ""
	for _, file := range regexp.MustCompile(`/\S*/sessions/\S*\.(?:har|mhtml|png|json|ts)\b`).FindAllString(string(said), -1) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".png") {
			picture = string(data)
		}
		// An archive breaks its lines.
		ways = append(ways, filepath.Base(file)+"\n"+strings.ReplaceAll(string(data), "=\r\n", ""))
	}
	with := 0
	for _, way := range ways {
		name, text, _ := strings.Cut(way, "\n")
		if strings.Contains(text, "ada") {
			with++
		}
		for field, secret := range secrets() {
			for _, form := range written(secret) {
				if at := strings.Index(text, form); at >= 0 {
					t.Errorf("%s has the secret of %s: …%q", name, field, text[max(0, at-60):at+len(form)])
				}
			}
		}
	}
	// The name that was filled in beside them is there: the ways do read.
	if len(ways) < 39 || with < 14 {
		t.Errorf("%d ways were tried, %d have the name\n%s", len(ways), with, said)
	}
	// A picture of the field shows dots: with another password of that length it is the same.
	p.cli("fill", "#pass", strings.Repeat("i", len(secrets()["#pass"])), "--tab", "t1")
	p.cli("focus", "#notes", "--tab", "t1")
	if other, err := os.ReadFile(strings.Fields(p.cli("screenshot", "--element", "#pass", "--tab", "t1"))[0]); err != nil || picture == "" || string(other) != picture {
		t.Errorf("the picture of a password tells it: %d and %d bytes, %v", len(picture), len(other), err)
	}
	p.cli("fill", "#pass", secrets()["#pass"], "--tab", "t1")

	// With an answer it may.
	p.typeLine(panel, "clear; pilotfish eval pass.value; echo over$?")
	p.until(panel, "it is asked", `document.querySelector('.approval button') !== null`)
	p.word(panel, "Allow once")
	p.untilScreen(panel, secrets()["#pass"])

	p.logsIn(panel, server.URL+"/staff", "ada", secrets()["#pass"])

	root, err := os.OpenRoot(filepath.Join(p.home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		if entry.Name() == "profile" {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := root.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for field, secret := range secrets() {
			for _, form := range written(secret) {
				if at := bytes.Index(data, []byte(form)); at >= 0 {
					t.Errorf("%s has the secret of %s: …%q", path, field, data[max(0, at-60):at+len(form)])
				}
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// logsIn opens a page that asks for a login by HTTP, and types it in the panel.
func (p *product) logsIn(panel *tap.Page, address, user, password string) {
	p.t.Helper()
	opened := p.cliStart("goto", address, "--tab", "t1")
	for _, one := range [][2]string{{"user", user}, {"password", password}} {
		field := fmt.Sprintf(`document.querySelector('.login input[name=%s]')`, one[0])
		p.until(panel, "the panel asks for the login", field+" !== null")
		if err := panel.Eval(p.ctx, field+".focus()", nil); err != nil {
			p.t.Fatal(err)
		}
		if err := panel.Type(p.ctx, one[1]); err != nil {
			p.t.Fatal(err)
		}
	}
	// An answer counts only when the question has been visible for a moment.
	p.eventually("the login is given", func() bool {
		var gone bool
		if err := panel.Eval(p.ctx, `document.querySelector('.login') === null`, &gone); err != nil {
			p.t.Fatal(err)
		}
		if !gone {
			if err := panel.Type(p.ctx, "\n"); err != nil {
				p.t.Fatal(err)
			}
		}
		return gone
	})
	if said, code := opened.end(); code != 0 || !strings.Contains(said, "Sign in") {
		p.t.Errorf("after the login: %d, %s", code, said)
	}
}

// traces looks for secrets in the files of a folder, but in one, and returns how many
// files it looked into.
func traces(t *testing.T, folder string, secrets map[string]string, but string) (files int) {
	t.Helper()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil || !d.Type().IsRegular() || filepath.Join(folder, path) == but {
			return err
		}
		data, err := root.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		files++
		for name, secret := range secrets {
			if strings.Contains(string(data), secret) {
				t.Errorf("the %s stands in %s", name, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return files
}
