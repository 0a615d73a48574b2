package cli_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// scriptClient connects a client of the DevTools protocol to an address as `browser`, its first page
// as `page`, and ends the connection.
type scriptClient struct{ connect, end string }

func playwright() scriptClient {
	return scriptClient{`import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[1], { timeout: 20000 });
const context = browser.contexts()[0];
const page = context.pages()[0];
`, "\nawait browser.close();"}
}

func puppeteer() scriptClient {
	return scriptClient{`import puppeteer from 'puppeteer-core';
const browser = await puppeteer.connect({ browserWSEndpoint: process.argv[1], defaultViewport: null, protocolTimeout: 20000 });
const [page] = await browser.pages();
`, "\nawait browser.disconnect();"}
}

// script runs lines of JavaScript with a client; check(what, value, wanted) prints what is not as
// wanted. It returns what was printed.
func script(ctx context.Context, t *testing.T, c scriptClient, address, lines string) string {
	t.Helper()
	const checks = `const check = (what, got, want) => { if (got !== want) console.log(what + ': ' + got + ', not ' + want); };
const refused = async (what, does) => { try { await does(); console.log(what + ' is not refused'); } catch (e) { if (!/Pilotfish: /.test(e.message)) console.log(what + ': ' + e.message); } };
`
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", c.connect+checks+lines+c.end, address)
	cmd.Dir = "../../../extension" // it has both clients
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the script: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// shared tries addresses of `pilotfish share` with Playwright and Puppeteer: a script opens a page, fills,
// clicks and reads, in the tab that is shared and the one that it opens. It neither sees nor
// reaches another one, and its connection ends when the address does.
func shared(t *testing.T, r *installation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	host := zoo(t)
	printed := func(scheme string, args ...string) string {
		t.Helper()
		out, err := r.command(ctx, append([]string{"share"}, args...)...).Output()
		if err != nil || !strings.HasPrefix(string(out), scheme+"://127.0.0.1:") {
			t.Fatalf("share %v: %s, %v", args, out, err)
		}
		return strings.TrimSpace(string(out))
	}
	address := func(args ...string) string { t.Helper(); return printed("ws", args...) }
	r.run("newtab", host+"/other")
	r.run("goto", host+"/mine", "--tab", "t1")
	r.run("rules", "deny", "open", "blocked.test")
	one := address("--tab", "t1", "--for", "10m")
	if out := script(ctx, t, playwright(), one, `
check('pages', context.pages().map((p) => p.url()).join(), 'http://`+host+`/mine');
await page.goto('http://`+host+`/opened');
await page.getByLabel('Name').fill('Ada');
check('filled', await page.getByLabel('Name').inputValue(), 'Ada');
await page.getByRole('button', { name: 'Save' }).click();
check('clicked', await page.locator('#out').textContent(), 'Saved Order complete');
check('screenshot', (await page.screenshot()).length > 1000, true);
const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => void open('/popup'))]);
check('popup', new URL(popup.url()).pathname, '/popup');
await popup.close();
await page.route('**/api', (route) => route.fulfill({ json: { name: 'Bob' } }));
check('fulfilled', await page.evaluate(async () => (await (await fetch('/api')).json()).name), 'Bob');
const cdp = await context.newCDPSession(page);
await refused('the cookies of all sites', () => cdp.send('Network.getAllCookies'));
await refused('a file', () => cdp.send('DOM.setFileInputFiles', { files: ['/etc/passwd'] }));
await refused('another tab', () => context.newPage());
await refused('a context', () => browser.newContext());
await refused('a blocked site', () => page.goto('http://blocked.test/'));
await refused('a service of the cloud', () => page.goto('http://169.254.169.254/'));
await refused('a file of this computer', () => page.goto('file:///etc/passwd'));
await refused('a page of the browser', () => page.goto('chrome://settings/'));
`); out != "" {
		t.Error(out)
	}
	if out := script(ctx, t, puppeteer(), one, `
check('pages', (await browser.pages()).map((p) => new URL(p.url()).host).join(), '`+host+`');
await page.goto('http://`+host+`/puppeteer');
await page.locator('::-p-aria(Name)').fill('Eve');
check('filled', await page.$eval('input', (e) => e.value), 'Eve');
await page.click('#save');
check('clicked', await page.evaluate(() => document.querySelector('#out').textContent), 'Saved Order complete');
check('screenshot', (await page.screenshot()).length > 1000, true);
const cdp = await page.createCDPSession();
await refused('the cookies of all sites', () => cdp.send('Network.getAllCookies'));
await refused('a file', async () => (await page.$('input[type=file]')).uploadFile('/etc/passwd'));
await refused('another tab', () => browser.newPage());
await refused('a context', () => browser.createBrowserContext());
await refused('a blocked site', () => page.goto('http://blocked.test/'));
await refused('a file of this computer', () => page.goto('file:///etc/passwd'));
await refused('a page of the browser', () => page.goto('chrome://settings/'));
`); out != "" {
		t.Error(out)
	}
	if out := r.run("activity", "--actor", "script"); !strings.Contains(out, "/opened") || !strings.Contains(out, "did=\"connected\"") || !strings.Contains(out, "DOM.setFileInputFiles") {
		t.Errorf("the activity of the script is %s", out)
	}

	// All tabs; the address ends while a script has it.
	all := address()
	id, _, _ := strings.Cut(strings.TrimSpace(lastLine(r.run("share", "list"))), " ")
	ended := make(chan string, 1)
	go func() {
		ended <- script(ctx, t, playwright(), all, `
check('pages', context.pages().length, 2);
const made = await context.newPage();
await made.goto('http://`+host+`/made');
await made.close();
const gone = new Promise((ok) => browser.on('disconnected', ok));
await page.evaluate(() => document.title = 'waits');
await gone;
await chromium.connectOverCDP(process.argv[1], { timeout: 20000 }).then(() => console.log('connected again'), () => 0);
`)
	}()
	r.run("wait", "function", "document.title == 'waits'", "--tab", "t1")
	r.run("share", "end", id)
	if out := <-ended; out != "" {
		t.Error(out)
	}
	if out := script(ctx, t, playwright(), address("--read", "--tab", "t1"), `
const cdp = await context.newCDPSession(page);
await refused('code', () => cdp.send('Runtime.evaluate', { expression: "document.title = 'changed'" }));
await refused('a navigation', () => page.goto('http://`+host+`/changed'));
check('tree', (await cdp.send('Accessibility.getFullAXTree')).nodes.length > 10, true);
check('screenshot', (await cdp.send('Page.captureScreenshot')).data.length > 1000, true);
`); out != "" {
		t.Error(out)
	}
	// An agent has an address of MCP, by which it uses one tab; another agent only reads.
	agent := func(args ...string) func(line string) said {
		t.Helper()
		at := printed("http", append(args, "--mcp")...)
		w := byMCP(connect(t, &sdk.StreamableClientTransport{Endpoint: at, DisableStandaloneSSE: true, MaxRetries: -1}))
		return func(line string) said { t.Helper(); return w(t, line, "") }
	}
	acts, reads := agent("--tab", "t1"), agent("--read", "--tab", "t1")
	for _, c := range []struct {
		by   func(string) said
		line string
		want protocol.Code
	}{
		{acts, "goto " + host + "/by-agent", ""},
		{acts, "fill label=Name Ann", ""},
		{acts, "text", ""},
		{acts, "goto http://blocked.test/", protocol.CodeRefused},
		{acts, "goto file:///etc/passwd", protocol.CodeRefused},
		{acts, "text --tab t2", protocol.CodeRefused},
		{acts, "tabs", protocol.CodeForbidden},
		{acts, "newtab " + host, protocol.CodeForbidden},
		{acts, "rules", protocol.CodeForbidden},
		{reads, "text", ""},
		{reads, "goto " + host, protocol.CodeForbidden},
		{reads, "eval 1", protocol.CodeForbidden},
	} {
		if got := c.by(c.line); got.code != c.want {
			t.Errorf("%s by MCP: %+v, want %q", c.line, got, c.want)
		}
	}
	if out := r.run("activity", "--actor", "script"); !strings.Contains(out, "/by-agent") {
		t.Errorf("the activity of the agent is %s", out)
	}
	last, _, _ := strings.Cut(strings.TrimSpace(lastLine(r.run("share", "list"))), " ")
	r.run("share", "end", last)
	if out := r.run("share", "list"); strings.Contains(out, id) {
		t.Errorf("listed are %s", out)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
