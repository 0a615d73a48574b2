package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// taskLetters is how many characters of a page a task's model receives.
const taskLetters = 14_000

// pageController is the peer: another agent's package that reads the page, in the
// mode that reports what is in view.
const pageController = "page-controller"

// pageBenches measure snapshots as a task takes them.
func pageBenches() []bench {
	return []bench{{rows: []string{"page.1000", "page.5000", "page.20000nodes", "page.chars"}, run: pages}}
}

// pages takes a task's snapshot and the peer's in turns, each in its own tab of the
// same browser, because the peer writes into the page. The figure is the time that
// the page's main thread spent from request to answer. The first snapshot of a
// document is not included.
func pages(ctx context.Context, o options) (rows []row, err error) {
	var missing []string
	modules := ""
	installed, err := peers.New(ctx)
	if err != nil {
		missing = append(missing, fmt.Sprintf("%s is left out: %v", pageController, err))
	} else {
		modules = installed.Modules
		defer func() { err = errors.Join(err, installed.Close()) }()
	}
	srv := seenSite(modules)
	defer srv.Close()
	chars := map[string]float64{}
	err = product.OnDesktop(ctx, func(s *product.Desktop) error {
		// Wait for the panel first. A tab that is hidden before the panel has its
		// place keeps its earlier width, and then more is in view than a snapshot
		// reports.
		return s.Prompted(ctx, func(p *product.App) error {
			for _, page := range []struct{ row, path string }{{"page.1000", "/1000"}, {"page.5000", "/5000"}, {"page.20000nodes", "/20000"}} {
				seen, err := see(ctx, p, o, srv.URL+page.path, modules != "")
				if err != nil {
					return fmt.Errorf("%s: %w", page.row, err)
				}
				r := compared(page.row, seen.took).atMost(1)
				r.Notes = append(slices.Clone(missing), fmt.Sprintf("the first snapshot of a document took %.3g ms", seen.first))
				rows = append(rows, r)
				for who, n := range seen.chars {
					chars[who] += n
				}
			}
			return nil
		})
	})
	if err != nil {
		return rows, err
	}
	r := sizes("page.chars", chars).atMost(1)
	r.Notes = missing
	return append(rows, r), nil
}

// sight is the result for one page.
type sight struct {
	took  peers.Samples
	first float64
	chars map[string]float64
}

func see(ctx context.Context, p *product.App, o options, url string, peer bool) (sight, error) {
	out := sight{took: peers.Samples{}, chars: map[string]float64{}}
	tab, mine, err := watched(ctx, p, url+"?who="+peers.Ours)
	if err != nil {
		return out, err
	}
	var theirs *tap.Page
	if peer {
		if _, theirs, err = watched(ctx, p, url+"?who=peer"); err != nil {
			return out, err
		}
		if err := theirs.Eval(ctx, peerScript, nil); err != nil {
			return out, fmt.Errorf("starting %s: %w", pageController, err)
		}
	}
	for i := range o.runs(15, 4) + 1 {
		ms, text, err := snapshotOf(ctx, p, tab, mine)
		if err != nil {
			return out, err
		}
		if i == 0 {
			out.first = ms
		} else {
			out.took.Add(peers.Ours, ms)
		}
		out.chars[peers.Ours] = float64(utf8.RuneCountInString(text))
		// The peer takes a hundred times as long; a third of the snapshots is
		// enough.
		if !peer || i%3 != 0 {
			continue
		}
		ms, text, err = spentOn(ctx, theirs, func() (text string, err error) {
			err = theirs.Eval(ctx, "look()", &text)
			return text, err
		})
		if err != nil {
			return out, fmt.Errorf("a snapshot by %s: %w", pageController, err)
		}
		if i > 0 {
			out.took.Add(pageController, ms)
		}
		out.chars[pageController] = float64(utf8.RuneCountInString(text))
	}
	return out, nil
}

// peerScript starts the peer as its documentation says, and returns what a model
// would receive.
const peerScript = `import('/peer/page-controller.js').then(({ PageController }) => {
	const controller = new PageController({ viewportExpansion: 0 })
	globalThis.look = async () => {
		const { header, content, footer } = await controller.getBrowserState()
		return header + '\n' + content + '\n' + footer
	}
})`

// snapshotOf takes a task's snapshot of a tab, compares it with the page's own list
// of what is in view, and returns its cost. It fails when the snapshot has
// changed the page.
func snapshotOf(ctx context.Context, p *product.App, tab protocol.TabID, page *tap.Page) (float64, string, error) {
	ms, text, err := spentOn(ctx, page, func() (string, error) {
		reply, err := p.Command(ctx, tab, "snapshot", map[string]any{"near": true, "max": taskLetters})
		return reply.Text, err
	})
	if err != nil {
		return 0, "", err
	}
	var truth struct {
		Lines   []string `json:"lines"`
		Changed int      `json:"changed"`
	}
	if err := page.Eval(ctx, "truth()", &truth); err != nil {
		return 0, "", err
	}
	if truth.Changed > 0 {
		return 0, "", fmt.Errorf("the snapshot changed the page %d times", truth.Changed)
	}
	return ms, text, shows(text, truth.Lines)
}

// refLine matches the line of an element that can be acted on.
var refLine = regexp.MustCompile(`(?m)^ *(e[1-9]\d*) (.+)$`) //nolint:gochecknoglobals // a constant that Go cannot have

// shows checks that each item of a page's own list is in a snapshot exactly once,
// with a unique ref.
func shows(text string, want []string) error {
	found, refs := map[string]int{}, map[string]bool{}
	for _, m := range refLine.FindAllStringSubmatch(text, -1) {
		if refs[m[1]] {
			return fmt.Errorf("two elements have the ref %s", m[1])
		}
		refs[m[1]] = true
		found[m[2]]++
	}
	if len(want) == 0 {
		return errors.New("the page has nothing in view")
	}
	for _, line := range want {
		if found[line] != 1 {
			return fmt.Errorf("%q is %d times in a snapshot of %d elements: %.1000s", line, found[line], len(refs), text)
		}
	}
	return nil
}

// watched opens a page in a new tab, attaches to it and enables the measurement of
// its processor time.
func watched(ctx context.Context, p *product.App, url string) (protocol.TabID, *tap.Page, error) {
	opened, err := p.Command(ctx, "", "newtab", map[string]any{"url": url})
	if err != nil {
		return "", nil, err
	}
	page, err := p.Client.Await(ctx, url)
	if err != nil {
		return "", nil, err
	}
	err = page.Call(ctx, "Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil)
	return opened.Tab, page, err
}

// spentOn returns how much processor time, in ms, the page's main thread spent on
// something.
func spentOn(ctx context.Context, page *tap.Page, do func() (string, error)) (float64, string, error) {
	before, err := spent(ctx, page)
	if err != nil {
		return 0, "", err
	}
	text, err := do()
	if err != nil {
		return 0, "", err
	}
	after, err := spent(ctx, page)
	return after - before, text, err
}

func spent(ctx context.Context, page *tap.Page) (float64, error) {
	var got struct {
		Metrics []struct {
			Name  string  `json:"name"`
			Value float64 `json:"value"`
		} `json:"metrics"`
	}
	if err := page.Call(ctx, "Performance.getMetrics", nil, &got); err != nil {
		return 0, err
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value * 1000, nil
		}
	}
	return 0, errors.New("the browser does not say what the page's tasks took")
}

// seenSite serves the measured pages, and the peer's script for them.
func seenSite(modules string) *httptest.Server {
	pages := map[string]string{"/1000": product.Controls(1000), "/5000": product.Controls(5000), "/20000": sections()}
	mux := http.NewServeMux()
	if modules != "" {
		dir := filepath.Join(modules, "@page-agent", "page-controller", "dist", "lib")
		mux.Handle("GET /peer/", http.StripPrefix("/peer/", http.FileServer(http.Dir(dir))))
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Bench</title><link rel=icon href='data:,'><main>", body, "</main>", truthScript)
	})
	return httptest.NewServer(mux)
}

// sections are 20,000 nodes of text, with a link in each section.
func sections() string {
	return strings.Repeat("<section><p>Words <b>that</b> say something</p><ul><li>one<li><a href=/on>Go on</a></ul></section>", 20_000/sectionNodes)
}

// sectionNodes is the number of nodes in one section: 7 elements and 5 texts.
const sectionNodes = 12

// truthScript makes the page's own list of what is in view, in the words of a
// snapshot, and records whether the page was changed. Items with the same text
// cannot be distinguished, so the list contains such a text only once.
const truthScript = `<script>
for (const [i, a] of document.querySelectorAll('section a').entries()) { a.textContent = 'Go on ' + i; a.href = '/on/' + i }
const changes = new MutationObserver(() => {})
changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
const truth = () => {
	const words = (el) => {
		if (el.localName === 'a') return 'link ' + el.textContent + ' →' + el.pathname
		if (el.localName === 'button') return 'btn ' + el.textContent + (el.disabled ? ' [disabled]' : '')
		if (el.type === 'checkbox') return (el.checked ? '[x] ' : '[ ] ') + el.labels[0].textContent.trim()
		return 'edit ' + el.ariaLabel + ' ="' + el.value + '"'
	}
	const seen = (el) => {
		const { left, top, right, bottom } = el.getBoundingClientRect()
		return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
	}
	return { lines: [...document.querySelectorAll('a,button,input')].filter(seen).map(words), changed: changes.takeRecords().length }
}
</script>`
