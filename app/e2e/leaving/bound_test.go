package leaving

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// elsewhere are ways from the agent's own site to another one, as scripts of the page, and
// as commands of the agent. A script returns when its request is over.
func elsewhere() map[string]string {
	const image = `const i = new Image(); await new Promise((done) => { i.onload = i.onerror = done; i.src = 'ADDRESS' })`
	element := func(html string) string {
		return `document.body.insertAdjacentHTML('beforeend', ` + "`" + html + "`" + `); const e = document.body.lastElementChild;
			await new Promise((done) => { e.onload = e.onerror = done; if (e.dataset.src) e.src = e.dataset.src; if (e.dataset.href) e.href = e.dataset.href })`
	}
	return map[string]string{
		"goto":                 "goto http://SINK/seen",
		"goto by a redirect":   "goto http://HOME/to/SINK",
		"goto another port":    "goto http://localhost:PORT/seen",
		"image":                image,
		"image by a redirect":  strings.ReplaceAll(image, "ADDRESS", "/to/SINK"),
		"image of a subdomain": strings.ReplaceAll(image, "ADDRESS", "http://deep.HOME/seen"),
		"frame":                element(`<iframe data-src='ADDRESS'></iframe>`),
		"frame by a redirect":  element(`<iframe data-src='/to/SINK'></iframe>`),
		"script":               `const e = document.createElement('script'); document.head.append(e); await new Promise((done) => { e.onload = e.onerror = done; e.src = 'ADDRESS' })`,
		"style sheet":          element(`<link rel=stylesheet data-href='ADDRESS'>`),
		"fetch":                `await fetch('ADDRESS', { mode: 'no-cors' }).catch(() => 0)`,
		"fetch by a redirect":  `await fetch('/to/SINK', { mode: 'no-cors' }).catch(() => 0)`,
		"beacon":               `navigator.sendBeacon('ADDRESS', '1'); await fetch('ADDRESS', { mode: 'no-cors' }).catch(() => 0)`,
		"socket":               `const s = new WebSocket('ws://SINK/seen'); await new Promise((done) => { s.onclose = done })`,
		"worker":               "const w = new Worker(URL.createObjectURL(new Blob([`fetch('ADDRESS', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(1))`]))); await new Promise((done) => { w.onmessage = done })",
		"form in a frame":      `document.body.insertAdjacentHTML('beforeend', "<iframe name=f></iframe><form target=f action='ADDRESS'></form>"); const f = document.querySelector('iframe'); await new Promise((done) => { f.onload = () => f.contentWindow.length === 0 && done(); document.querySelector('form').submit() })`,
		"what a page reads":    "goto http://SINK/tells",
		"what a frame reads":   element(`<iframe data-src='http://SINK/tells'></iframe>`),
	}
}

// TestHeadersStayOnTheirSite: headers and a user agent that an agent sets go to the origin
// on which it set them, and to no other.
func TestHeadersStayOnTheirSite(t *testing.T) {
	s := theStand(t)
	home := "http://" + s.host("home")
	fill := strings.NewReplacer("ADDRESS", "http://"+s.host("sink")+"/seen", "SINK", s.host("sink"), "HOME", s.host("home"), "PORT", s.port)
	for _, set := range []string{"headers 'X-Note: " + secret + "'", "useragent " + secret} {
		for name, way := range elsewhere() {
			t.Run(strings.Fields(set)[0]+"/"+name, func(t *testing.T) {
				a := s.begin(t, protocol.ActorTerminal, "bound "+set+name)
				if reply := a.run(set); !reply.OK {
					t.Fatal(reply.Error)
				}
				a.inPage(`await fetch('/seen')`)
				s.arrives(t, s.host("home")+" /seen")
				if line, is := strings.CutPrefix(way, "goto "); is {
					if _, err := s.browser.Navigate(t.Context(), protocol.Caller{}, a.tab, fill.Replace(line), protocol.WaitLoad, nil); err != nil {
						t.Fatal(err)
					}
				} else {
					a.inPage(fill.Replace(way))
				}
				a.inPage(`if (globalThis.told) await told`)
				for _, leak := range s.take() {
					if !strings.HasPrefix(leak, s.host("home")+" ") {
						t.Errorf("this arrived: %q", leak)
					}
				}
				if _, err := s.browser.Navigate(t.Context(), protocol.Caller{}, a.tab, home+"/seen", protocol.WaitLoad, nil); err != nil {
					t.Fatal(err)
				}
				s.arrives(t, s.host("home")+" /seen")
				if strings.HasPrefix(set, "useragent") {
					a.inPage("if (navigator.userAgent !== '" + secret + "') throw navigator.userAgent")
				}
				s.asked(t, false)
			})
		}
	}
}

// arrives checks that what the agent knows has come with a request, and to its site only.
func (s *stand) arrives(t *testing.T, with string) {
	t.Helper()
	all := s.take()
	if !slices.ContainsFunc(all, func(one string) bool { return strings.HasPrefix(one, with) }) ||
		slices.ContainsFunc(all, func(one string) bool { return !strings.HasPrefix(one, s.host("home")+" ") }) {
		t.Errorf("this arrives, and not only %s: %q", with, all)
	}
}

// TestAnAgentSetsHeadersOfASite: without a site there is none that the headers are for.
func TestAnAgentSetsHeadersOfASite(t *testing.T) {
	s := theStand(t)
	a := s.begin(t, protocol.ActorTerminal, "without a site")
	if _, err := s.browser.Navigate(t.Context(), protocol.Caller{}, a.tab, "about:blank", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	s.answer.Store(protocol.AnswerOnce)
	for _, line := range []string{"headers 'X-Note: 1'", "useragent 1"} {
		if reply := a.run(line); reply.OK {
			t.Errorf("%s: %q", line, reply.Text)
		}
	}
}
