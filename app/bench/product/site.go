package product

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"
)

// Site serves the measured pages. Each page records what was really done to it
// and sends the record when it is left, so that no measurement includes the cost
// of a query.
type Site struct {
	*httptest.Server
	records chan Record
}

// Record is what a page recorded.
type Record struct {
	Who     string   `json:"who"`
	Round   string   `json:"round"`
	Clicked []string `json:"clicked"` // ids, in order; only trusted events count
	Value   string   `json:"value"`
}

// recordWait is how long the record of a page may take after the page was left.
const recordWait = 10 * time.Second

// The pages. Each is the body of a document; they share a head.
const (
	actPage = `<button id=b onclick="n.textContent++">Add</button> <output id=n>0</output> <input id=f aria-label=Name>
<div style="position:absolute;left:0;top:200px;width:300px;height:100px"><button id=u style="width:100%;height:100%">Covered</button></div>
<div id=c role=dialog aria-label=Cookies style="position:absolute;left:0;top:200px;width:300px;height:100px;background:#fff"></div>
<script>
const asked = new URLSearchParams(location.search);
const record = { who: asked.get('who'), round: asked.get('round'), clicked: [], value: '' };
addEventListener('click', (e) => { if (e.isTrusted) record.clicked.push(e.target.id); }, true);
addEventListener('pagehide', () => { record.value = f.value; navigator.sendBeacon('/record', JSON.stringify(record)); });
</script>`
	// mixedPage has 1,000 buttons: 800 of its own, 100 in a frame, 100 in a
	// closed shadow root.
	mixedPage = `<div id=h></div><iframe src=/buttons?from=900&to=1000 width=600 height=300></iframe>
<script>h.attachShadow({ mode: 'closed' }).innerHTML = Array.from({ length: 100 }, (_, i) => '<button>Button ' + (800 + i) + '</button>').join('\n');</script>`
)

// NewSite starts the site.
func NewSite() *Site {
	s := &Site{records: make(chan Record, 16)}
	pages := map[string]string{
		"/": actPage, "/empty": "", "/form": formPage(), "/1000": buttons(0, 1000), "/mixed": buttons(0, 800) + mixedPage,
		"/5000": buttons(0, 5000), "/act1000": actPage + rows(1000), "/act5000": actPage + rows(5000), "/20000": largePage(), "/labels": labelsPage(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /record", func(_ http.ResponseWriter, r *http.Request) {
		var one Record
		if json.NewDecoder(r.Body).Decode(&one) == nil {
			s.records <- one
		}
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if r.URL.Path == "/buttons" {
			var from, to int
			_, err := fmt.Sscan(r.FormValue("from")+" "+r.FormValue("to"), &from, &to)
			body, ok = buttons(from, to), err == nil
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Bench</title><link rel=icon href='data:,'>", body)
	})
	s.Server = httptest.NewServer(mux)
	return s
}

// Actions returns the address of the page of actions, for one caller's round.
func (s *Site) Actions(who string, round int) string { return s.On("/", who, round) }

// On returns the address of a page that sends a record, for one caller's round.
func (s *Site) On(path, who string, round int) string {
	return fmt.Sprintf("%s%s?who=%s&round=%d", s.URL, path, url.QueryEscape(who), round)
}

// Record returns the record of a page that its caller has just left.
func (s *Site) Record(ctx context.Context, who string, round int) (Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, recordWait, errors.New("the page handed over no record"))
	defer cancel()
	select {
	case r := <-s.records:
		if r.Who != who || r.Round != fmt.Sprint(round) {
			return r, fmt.Errorf("a record of %s, round %s, came instead of that of round %d", r.Who, r.Round, round)
		}
		return r, nil
	case <-ctx.Done():
		return Record{}, fmt.Errorf("waiting for what the page of %s saw: %w", who, context.Cause(ctx))
	}
}

// formPage has 19 controls.
func formPage() string {
	var b strings.Builder
	b.WriteString("<form>")
	for i := range 15 {
		fmt.Fprintf(&b, "<label>Field %d <input name=f%d></label><br>", i, i)
	}
	b.WriteString("<select name=s><option>A<option>B</select><label><input type=checkbox>Yes</label><button>Send</button><button type=reset>Clear</button></form>")
	return b.String()
}

func buttons(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "<button>Button %d</button>\n", i)
	}
	return b.String()
}

// largePage has 20,000 elements. 40 of them are buttons, and few are visible: the
// rest are in hidden boxes.
func largePage() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<button>Button %d</button><div hidden>", i)
		for j := range 249 {
			fmt.Fprintf(&b, "<p><span>%d of %d</span></p>", j, i)
		}
		b.WriteString("</div>\n")
	}
	return b.String()
}

// rows are n controls, in lines of four.
func rows(n int) string {
	return "<main>" + strings.NewReplacer("<span>", "<div>", "</span>", "</div>").Replace(Controls(n)) + "</main>"
}

// labelsPage is high, and has 600 buttons to annotate.
func labelsPage() string {
	var b strings.Builder
	b.WriteString("<style>button{width:11em;margin:6px;height:24px}</style>")
	b.WriteString(buttons(0, 600))
	return b.String()
}

// Controls are n links, buttons, checkboxes and fields, with states and values.
func Controls(n int) string {
	var b strings.Builder
	for i := range n / 4 {
		disabled, checked := "", ""
		if i%5 == 0 {
			disabled = " disabled"
		}
		if i%2 == 1 {
			checked = " checked"
		}
		fmt.Fprintf(&b, "<span><a href=/item/%[1]d>Item %[1]d</a> <button%[2]s>Edit %[1]d</button> <label><input type=checkbox%[3]s> Pick %[1]d</label> <input aria-label='Note %[1]d' value=v%[1]d size=6></span>\n", i, disabled, checked)
	}
	return b.String()
}
