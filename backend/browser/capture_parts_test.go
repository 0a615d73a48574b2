package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

func TestPartsOfAPage(t *testing.T) {
	f, ctx, id := shop(t)
	md, err := f.Markdown(ctx, nobody, id, "", 10_000)
	if err != nil || !strings.Contains(md.Text, "# Fish and more") || !strings.Contains(md.Text, "In the frame") || strings.Contains(md.Text, "9999") {
		t.Errorf("markdown %q, %v", md.Text, err)
	}
	if md, err = f.Markdown(ctx, nobody, id, "h1", 6); err != nil || md.Text != "# Fish" || md.Length != len("# Fish and more") {
		t.Errorf("a part, cut: %+v, %v", md, err)
	}
	_, links, err := f.Links(ctx, nobody, id)
	if err != nil || len(links) != 2 || links[0].Text != "ready" || links[1].URL != "https://framed.example/x" || !strings.HasPrefix(links[1].Ref, "f") {
		t.Errorf("links %+v, %v", links, err)
	}
	_, tables, err := f.Tables(ctx, nobody, id)
	if err != nil || len(tables) != 1 || tables[0].Caption != "Prices" || !slices.Equal(tables[0].Rows[0], []string{"Cod | fresh", "7"}) {
		t.Errorf("tables %+v, %v", tables, err)
	}
	_, media, err := f.Media(ctx, nobody, id)
	if err != nil || len(media) != 2 || media[1].Width != 30 {
		t.Errorf("media %+v, %v", media, err)
	}
	data, err := f.Data(ctx, nobody, id)
	if err != nil || data.OpenGraph["og:title"] != "The shop" || len(data.JSONLD) != 1 || data.Language != "en" {
		t.Errorf("data %+v, %v", data, err)
	}
	frames, err := f.Frames(ctx, nobody, id)
	if err != nil || len(frames) != 2 || frames[0].ID != "page" || frames[1].Name != "inner" || frames[1].Depth != 1 {
		t.Errorf("frames %+v, %v", frames, err)
	}
}

// No command returns secret values of the page.
func TestSecretsStayInThePage(t *testing.T) {
	f, ctx, id := shop(t)
	_, forms, err := f.Forms(ctx, nobody, id)
	if err != nil || len(forms) != 1 || len(forms[0].Fields) != 4 || forms[0].Fields[0].Value != "jo" {
		t.Fatalf("forms %+v, %v", forms, err)
	}
	out, err := json.Marshal(forms)
	if err != nil {
		t.Fatal(err)
	}
	all := string(out)
	for _, inner := range []bool{false, true} {
		html, err := f.HTML(ctx, nobody, id, "", inner, 100_000)
		if err != nil || !strings.Contains(html.Text, "Fish and more") {
			t.Fatalf("html: %v", err)
		}
		all += html.Text
	}
	for _, element := range []string{"[name=pw]", "[name=card]"} {
		html, err := f.HTML(ctx, nobody, id, element, false, 1000)
		if err != nil || !strings.HasPrefix(html.Text, "<input") {
			t.Errorf("html of %s: %+v, %v", element, html, err)
		}
		e, err := f.Inspect(ctx, nobody, id, element)
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all += html.Text + string(out)
	}
	tree, err := f.AXTree(ctx, nobody, id, "")
	if err != nil || !strings.Contains(tree.Text, `button "Save"`) {
		t.Fatalf("tree %q, %v", tree.Text, err)
	}
	all += tree.Text
	for _, secret := range []string{"hunter2secret", "4111111111111111"} {
		if i := strings.Index(all, secret); i >= 0 {
			t.Errorf("%s is told: %q", secret, all[max(0, i-200):i+20])
		}
	}
	inner, err := f.HTML(ctx, nobody, id, "h1", true, 1000)
	if err != nil || inner.Text != "Fish and more" {
		t.Errorf("inner html: %+v, %v", inner, err)
	}
}

// A field that only its name or id shows to be for a secret is masked by inspect, as
// by html: both use one function.
func TestInspectMasksFieldsByName(t *testing.T) {
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	url := pages(t, map[string]string{"/": `<input name=cvv value="737"><input id=card-number value="4111"><input name=city value="Bonn">`})
	if _, err := f.Navigate(ctx, nobody, id, url+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	for element, want := range map[string]string{"[name=cvv]": "••••", "#card-number": "••••", "[name=city]": "Bonn"} {
		if e, err := f.Inspect(ctx, nobody, id, element); err != nil || e.Attributes["value"] != want {
			t.Errorf("%s: %q, %v", element, e.Attributes["value"], err)
		}
	}
}

func TestSearch(t *testing.T) {
	f, ctx, id := shop(t)
	for what, want := range map[string]int{"order number 4711": 1, "/NUMBER/i": 1, "/NUMBER/": 0, "in the frame": 1, "nowhere": 0, "/e/": 20} {
		found, err := f.Search(ctx, nobody, id, what, 3)
		if err != nil || (want == 20 && found.Total < 10) || (want < 20 && found.Total != want) || len(found.Matches) > 3 {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
	}
	found, err := f.Search(ctx, nobody, id, "ready", 5)
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Ref == "" || !strings.Contains(found.Matches[0].Before, "4711 is") {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := f.Search(ctx, nobody, id, "/(/", 5); code(err) != protocol.CodeBadArgument {
		t.Errorf("a bad expression: %v", err)
	}
}

func TestEvaluate(t *testing.T) {
	f, ctx, id := shop(t)
	for script, want := range map[string]string{
		"1 + 1": "2", "document.title": `"Shop"`, "await Promise.resolve({a: [1]})": `{"a":[1]}`, "Promise.resolve({a: [2]})": `{"a":[2]}`, "new Promise((done) => setTimeout(done, 20, 'late'))": `"late"`, "[1,2]": "[1,2]", "null": "null",
		"new Map([['a', 1]])": `{"a":1}`, "const x = 3; x * 2": "6",
	} {
		v, err := f.Evaluate(ctx, nobody, id, script)
		if err != nil || string(v.Value) != want {
			t.Errorf("%s: %+v, %v", script, v, err)
		}
	}
	for script, want := range map[string]string{"undefined": "undefined", "NaN": "NaN", "document.body": "body", "(function f() {})": "function f"} {
		v, err := f.Evaluate(ctx, nobody, id, script)
		if err != nil || !strings.HasPrefix(v.Words, want) || len(v.Value) > 0 {
			t.Errorf("%s: %+v, %v", script, v, err)
		}
	}
	for script, want := range map[string]string{"throw new Error('no fish')": "no fish", "throw 'plain'": "plain", "(((": "SyntaxError", "await Promise.reject(new Error('later'))": "later", "Promise.reject(new Error('soon'))": "soon"} {
		if _, err := f.Evaluate(ctx, nobody, id, script); code(err) != protocol.CodeScript || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestCascade(t *testing.T) {
	f, ctx, id := shop(t)
	style, err := f.Style(ctx, nobody, id, "#save", []string{"color", "padding-top"})
	if err != nil {
		t.Fatal(err)
	}
	if style.Computed["color"] != "rgb(255, 0, 0)" || style.Computed["padding-top"] != "4px" || len(style.Computed) != 2 {
		t.Errorf("computed %v", style.Computed)
	}
	beaten := map[string]bool{}
	var order []string
	for _, r := range style.Rules {
		if r.From == "" && r.Source != "browser" {
			order = append(order, r.Selector)
		}
		for _, d := range r.Declarations {
			beaten[r.Selector+" "+d.Name] = d.Beaten
		}
	}
	if !slices.Equal(order, []string{"style attribute", "#save", ".big", ".big", "button"}) {
		t.Errorf("the order is %q", order)
	}
	for name, want := range map[string]bool{"#save color": false, ".big color": true, "button color": true, ".big padding": false, "style attribute padding": true, ".big letter-spacing": false} {
		if got, ok := beaten[name]; !ok || got != want {
			t.Errorf("%s is beaten: %v (%v)", name, got, ok)
		}
	}
	if _, err := f.Style(ctx, nobody, id, "#nothing", nil); code(err) != protocol.CodeNoElement {
		t.Errorf("nothing there: %v", err)
	}
}

func TestInspect(t *testing.T) {
	f, ctx, id := shop(t)
	e, err := f.Inspect(ctx, nobody, id, "#save")
	if err != nil {
		t.Fatal(err)
	}
	if e.Element != "button#save.big" || e.Role != "button" || e.Name != "Save" || e.Box.Width != 200 || e.Margin != [4]float64{20, 20, 20, 20} ||
		e.Padding[0] != 4 || e.Attributes["title"] != "Keep it" || e.Styles["background-color"] != "rgb(0, 128, 0)" {
		t.Errorf("%+v", e)
	}
	if len(e.Listeners) != 1 || e.Listeners[0].Type != "click" || !e.Listeners[0].Passive || !strings.Contains(e.Listeners[0].Source, "/shop.html:") {
		t.Errorf("listeners %+v", e.Listeners)
	}
	if e, err = f.Inspect(ctx, nobody, id, "text=Framed"); err == nil && e.Role != "button" && e.Role != "link" {
		t.Errorf("in the frame: %+v", e)
	}
}

func TestStyleEdits(t *testing.T) {
	f, ctx, id := shop(t)
	width := func() string {
		v, err := f.Evaluate(ctx, nobody, id, "document.getElementById('save').getAttribute('style')")
		if err != nil {
			t.Fatal(err)
		}
		return string(v.Value)
	}
	was := width()
	edit, err := f.EditStyle(ctx, nobody, id, "#save", "width", "300px !important")
	if err != nil || edit.Number != 1 || edit.Before != "" || edit.After != "300px !important" {
		t.Fatalf("%+v, %v", edit, err)
	}
	if edit, err = f.EditStyle(ctx, nobody, id, "#save", "padding", ""); err != nil || edit.Before != "9px" || edit.After != "" {
		t.Errorf("%+v, %v", edit, err)
	}
	if _, err = f.EditStyle(ctx, nobody, id, "#save", "colour", "red"); code(err) != protocol.CodeBadArgument {
		t.Errorf("no property: %v", err)
	}
	undone, err := f.UndoStyle(ctx, nobody, id, false)
	if err != nil || len(undone) != 1 || undone[0].Number != 2 {
		t.Errorf("undo: %+v, %v", undone, err)
	}
	if all, err := f.StyleHistory(ctx, nobody, id); err != nil || len(all) != 2 || all[0].Undone || !all[1].Undone {
		t.Errorf("history: %+v, %v", all, err)
	}
	if undone, err = f.UndoStyle(ctx, nobody, id, true); err != nil || len(undone) != 1 || width() != was {
		t.Errorf("undo all: %+v, %v; %s was %s", undone, err, width(), was)
	}
	if _, err = f.UndoStyle(ctx, nobody, id, false); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing left: %v", err)
	}
}

func TestAudit(t *testing.T) {
	f, ctx, id := shop(t)
	before, err := f.Evaluate(ctx, nobody, id, "typeof axe + mutations")
	if err != nil {
		t.Fatal(err)
	}
	audit, err := f.Audit(ctx, nobody, id, "aa")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string][]protocol.AuditNode{}
	for _, v := range audit.Violations {
		rules[v.Rule] = v.Nodes
	}
	if n := rules["image-alt"]; len(n) != 1 || n[0].Target != "#bare" {
		t.Errorf("image-alt: %+v in %+v", n, audit)
	}
	if audit.Passed < 5 {
		t.Errorf("%d passed", audit.Passed)
	}
	if v, err := f.Evaluate(ctx, nobody, id, "typeof axe + mutations"); err != nil || string(v.Value) != string(before.Value) || !strings.Contains(string(v.Value), "undefined") {
		t.Errorf("the page saw it: %s, %v", v.Value, err)
	}
}

func TestPerformanceAndTrace(t *testing.T) {
	f, ctx, id := shop(t)
	p, err := f.Performance(ctx, nobody, id)
	if err != nil || p.Load <= 0 || p.DOMReady > p.Load || p.Requests == 0 || p.Nodes == 0 || p.HeapBytes == 0 || !strings.HasSuffix(p.URL, "/shop.html") {
		t.Errorf("%+v, %v", p, err)
	}
	file, err := f.Trace(ctx, nobody, id, time.Second, true)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct{ Name string }
	}
	if err := json.Unmarshal(content(t, file), &trace); err != nil || len(trace.TraceEvents) < 50 {
		t.Errorf("%d events, %v", len(trace.TraceEvents), err)
	}
	for _, length := range []time.Duration{0, time.Hour} {
		if _, err := f.Trace(ctx, nobody, id, length, false); code(err) != protocol.CodeBadArgument {
			t.Errorf("%s: %v", length, err)
		}
	}
}

// Every command that reads a page includes the contents of closed shadow roots
// and of frames of other sites in their places, at the first call. It leaves out
// frames that are not rendered.
func TestReadingEntersEverything(t *testing.T) {
	f := headless(t)
	ctx, id := deadline(t), f.first(t)
	inner := strings.Replace(pages(t, map[string]string{
		"/in": `<p>deep <a href="https://deep.example/">frame link</a></p><div id=d></div>
			<script>d.attachShadow({mode: 'closed'}).innerHTML = '<p>shut in frame <a href="https://shut.example/f">f</a></p>'</script>`,
		"/no": `<p>never seen <a href="https://never.example/">never</a></p>`,
	}), "127.0.0.1", "localhost", 1)
	top := `<h1>Top</h1><div id=h>slotted</div><p>before</p><iframe src="` + inner + `/in"></iframe><p>after</p>
		<iframe src="` + inner + `/no" style="display:none"></iframe><iframe src="` + inner + `/no" style="visibility:hidden"></iframe>
		<input name=cardnumber value="4111 1111 1111 1111">
		<script>h.attachShadow({mode: 'closed'}).innerHTML = '<h2>shut away</h2><a href="https://shut.example/">shut link</a> <slot></slot>'</script>`
	url := pages(t, map[string]string{"/text": top, "/markdown": top, "/links": top, "/find": top})
	for _, read := range []struct {
		name string // also the page's URL: its closed roots are not known yet
		do   func() (string, error)
		want string
	}{
		{
			"text", func() (string, error) { x, err := f.Text(ctx, nobody, id, 10_000); return x.Text, err },
			"Top\n\nshut away\n\nshut link slotted\n\nbefore\n\ndeep frame link\n\nshut in frame f\n\nafter",
		},
		{
			"markdown", func() (string, error) { x, err := f.Markdown(ctx, nobody, id, "", 10_000); return x.Text, err },
			"# Top\n\n## shut away\n\n[shut link](https://shut.example/) slotted\n\nbefore\n\ndeep [frame link](https://deep.example/)\n\nshut in frame [f](https://shut.example/f)\n\nafter",
		},
		{"links", func() (string, error) {
			_, links, err := f.Links(ctx, nobody, id)
			var out []string
			for _, l := range links {
				out = append(out, l.URL)
			}
			return strings.Join(out, " "), err
		}, "https://shut.example/ https://deep.example/ https://shut.example/f"},
		{"find", func() (string, error) {
			x, err := f.Search(ctx, nobody, id, "shut", 10)
			var out []string
			for _, m := range x.Matches {
				out = append(out, m.Text+m.After)
			}
			return strings.Join(out, "|"), err
		}, "shut away|shut link slotted|shut in frame f"},
	} {
		if _, err := f.Navigate(ctx, nobody, id, url+"/"+read.name, protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := read.do(); err != nil || got != read.want {
			t.Errorf("%s: %v\n%q\nand not\n%q", read.name, err, got, read.want)
		}
	}
}
