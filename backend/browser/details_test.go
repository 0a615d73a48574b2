package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// detailsSite serves the page of the tests of the Inspector: rules of all kinds, a frame,
// a closed shadow root, and a sheet made of SCSS with its source map.
func detailsSite(t *testing.T) string {
	t.Helper()
	files := map[string][2]string{
		"/": {"text/html", `<!doctype html><title>Card</title><link rel=stylesheet href=/css/app.css><style>
@layer base { .card { color: green !important; padding: 1px } }
@media (min-width: 1px) { .card { color: navy; margin: 4px 5px } }
#card.card { background-color: rgb(0, 0, 0); nonsense: 1; color: red }
.card::before { content: "*"; color: teal }
.box:hover { outline: 3px solid lime }
</style><main style="font-style: italic"><h1>Top</h1><div class=box id=card data-testid=the-card onclick="1" style="top: 1px"
 title="A card">Text of it</div><input type=password id=pw value=hunter2><p class=card>other</p></main>
<x-closed></x-closed><iframe src=/frame width=200 height=100></iframe><script src=/app.js></script>`},
		"/frame":           {"text/html", `<!doctype html><style>b { color: rgb(1, 2, 3) }</style><p><b id=inner>In a frame</b></p>`},
		"/css/app.css":     {"text/css", "main {\n  line-height: 2;\n}\n.box {\n  width: 200px;\n  border: 2px solid rgb(9, 9, 9);\n}\n/*# sourceMappingURL=app.css.map */\n"},
		"/css/app.css.map": {"application/json", `{"version":3,"sources":["../scss/page.scss","../scss/box.scss"],"mappings":"AAAA;EACE;;ACGF;EACE;EACA"}`},
		"/app.js": {"text/javascript", `const host = document.querySelector('x-closed').attachShadow({mode: 'closed'});
host.innerHTML = '<style>i { letter-spacing: 2px }</style><section><i class=deep>Deep</i></section>';
document.querySelector('#card').addEventListener('click', () => {}, { passive: true });
document.querySelector('#card').classList.add('card');`},
	}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", file[0])
		fmt.Fprint(w, file[1])
	}))
	return server.URL
}

// inspected is a browser with the page open.
func inspected(t *testing.T) *stage {
	t.Helper()
	s := &stage{fixture: headless(t), url: detailsSite(t)}
	s.tab = s.first(t)
	s.open(t, "/")
	return s
}

func (s *stage) details(t *testing.T, element, step string) protocol.Details {
	t.Helper()
	d, err := s.ReadDetails(deadline(t), nobody, s.tab, element, step)
	if err != nil {
		t.Fatalf("%s %s: %v", element, step, err)
	}
	return d
}

func ruleOf(t *testing.T, d protocol.Details, selector, pseudo string) protocol.DetailRule {
	t.Helper()
	for _, r := range d.Rules {
		if r.Selector == selector && r.Pseudo == pseudo && r.From == "" {
			return r
		}
	}
	t.Fatalf("there is no rule %s%s in %+v", selector, pseudo, d.Rules)
	return protocol.DetailRule{}
}

// said writes the declarations of a rule, with ~ before those that are overridden and ?
// before those that the browser does not understand.
func said(r protocol.DetailRule) string {
	var out []string
	for _, d := range r.Declarations {
		text := d.Name + ": " + d.Value
		if d.Important {
			text += "!"
		}
		if d.Beaten {
			text = "~" + text
		}
		if d.Unknown {
			text = "?" + text
		}
		if d.Off {
			text = "/" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

func TestDetails(t *testing.T) {
	s := inspected(t)
	d := s.details(t, "#card", "")
	if d.Element != "div#card.box.card" || !d.Leaf || d.Text != "Text of it" || d.URL != s.url+"/" {
		t.Errorf("it is %+v", d)
	}
	for _, want := range []struct{ selector, said, source, original string }{
		{"style attribute", "top: 1px", "", ""},
		{"#card.card", "background-color: rgb(0, 0, 0); ?nonsense: 1; ~color: red", "/ <style>:4", ""},
		{".card", "~color: navy; margin: 4px 5px", "/ <style>:3", ""},
		{".box", "width: 200px; border: 2px solid rgb(9, 9, 9)", "/css/app.css:4", "/scss/box.scss:5"},
	} {
		r := ruleOf(t, d, want.selector, "")
		if got := said(r); got != want.said {
			t.Errorf("%s says %s, not %s", want.selector, got, want.said)
		}
		if strings.TrimPrefix(r.Source, s.url) != want.source || strings.TrimPrefix(r.Original, s.url) != want.original {
			t.Errorf("%s is of %q and %q", want.selector, r.Source, r.Original)
		}
		if r.Key == "" {
			t.Errorf("%s cannot be edited", want.selector)
		}
	}
	if r := ruleOf(t, d, "#card.card", ""); r.Specificity != [3]int{1, 1, 0} {
		t.Errorf("specificity %v", r.Specificity)
	}
	if r := ruleOf(t, d, ".card::before", "::before"); said(r) != `content: "*"; color: teal` {
		t.Errorf("::before says %s", said(r))
	}
	i := slices.IndexFunc(d.Rules, func(r protocol.DetailRule) bool { return slices.Contains(r.Conditions, "@layer base") })
	if i < 0 || said(d.Rules[i]) != "color: green!; padding: 1px" {
		t.Errorf("the layer: %+v", d.Rules)
	}
	if i := slices.IndexFunc(d.Rules, func(r protocol.DetailRule) bool {
		return slices.ContainsFunc(r.Conditions, func(c string) bool { return strings.HasPrefix(c, "@media") })
	}); i < 0 {
		t.Error("no rule of @media")
	}
	if i := slices.IndexFunc(d.Rules, func(r protocol.DetailRule) bool { return r.From == "ancestor 1" && said(r) == "font-style: italic" }); i < 0 {
		t.Errorf("nothing is inherited: %+v", d.Rules)
	}
	if i := slices.IndexFunc(d.Rules, func(r protocol.DetailRule) bool { return r.Origin == protocol.OriginBrowser && r.Key == "" }); i < 0 {
		t.Error("no rule of the browser")
	}
	computed := make(map[string]string)
	for _, c := range d.Computed {
		computed[c.Name] = c.Value
	}
	if computed["color"] != "rgb(0, 128, 0)" || computed["font-style"] != "italic" || computed["width"] != "200px" || computed["display"] != "" || computed["opacity"] != "" || computed["caret-color"] != "" {
		t.Errorf("computed %v", computed)
	}
	if d.Box.Width != 206 || d.Box.Border != [4]float64{2, 2, 2, 2} || d.Box.Margin != [4]float64{4, 5, 4, 5} || d.Box.Padding != [4]float64{1, 1, 1, 1} {
		t.Errorf("box %+v", d.Box)
	}
	if d.Selectors[0].Matches != 1 || !slices.Contains(d.Selectors, protocol.SelectorCandidate{Selector: "#card", Matches: 1}) || !slices.ContainsFunc(d.Selectors, func(c protocol.SelectorCandidate) bool { return c.Selector == `div[data-testid="the-card"]` }) {
		t.Errorf("selectors %+v", d.Selectors)
	}
	if d.Colors == nil || d.Colors.Contrast < 4 || d.Colors.Contrast > 4.2 || d.Colors.Needed != 4.5 || !slices.Equal(d.Colors.Behind, []string{"rgb(0, 0, 0)"}) {
		t.Errorf("colours %+v", d.Colors)
	}
	if len(d.Fonts) == 0 || d.Fonts[0].Glyphs == 0 {
		t.Errorf("fonts %+v", d.Fonts)
	}
	if len(d.Listeners) != 2 || !slices.ContainsFunc(d.Listeners, func(l protocol.Listener) bool { return l.Passive && strings.HasSuffix(l.Source, "/app.js:3") }) {
		t.Errorf("listeners %+v", d.Listeners)
	}
	if !slices.Contains(d.Access.Path, "main") {
		t.Errorf("accessibility %+v", d.Access)
	}
	if h := s.details(t, "h1", ""); h.Access.Role != "heading" || h.Access.Name != "Top" {
		t.Errorf("accessibility %+v", h.Access)
	}
	pw := s.details(t, "#pw", "")
	if i := slices.IndexFunc(pw.Attrs, func(a protocol.DetailAttribute) bool { return a.Name == "value" && a.Masked }); i < 0 || strings.Contains(fmt.Sprintf("%+v", pw), "hunter2") {
		t.Errorf("the password is shown: %+v", pw)
	}
	if _, err := s.ReadDetails(deadline(t), nobody, s.tab, "#nothing", ""); code(err) != protocol.CodeNoElement {
		t.Errorf("of nothing: %v", err)
	}
}

// The Inspector steps from an element to those beside it, into shadow roots and frames
// and out again.
func TestDetailsSteps(t *testing.T) {
	s := inspected(t)
	at := s.details(t, "#card", "parent")
	for _, step := range []struct{ step, element string }{
		{"child", "h1"},
		{"next", "div#card.box.card"},
		{"previous", "h1"},
		{"parent", "main"},
		{"next", "x-closed"},
		{"child", "style"},
		{"next", "section"},
		{"child", "i.deep"},
		{"parent", "section"},
		{"parent", "x-closed"},
		{"next", "iframe"},
		{"child", "html"},
		{"child", "head"},
		{"next", "body"},
		{"child", "p"},
		{"child", "b#inner"},
		{"parent", "p"},
		{"parent", "body"},
		{"parent", "html"},
		{"parent", "iframe"},
		{"parent", "body"},
		{"parent", "html"},
	} {
		next := s.details(t, at.Ref, step.step)
		if next.Element != step.element {
			t.Fatalf("%s of %s is %s, not %s", step.step, at.Element, next.Element, step.element)
		}
		if at = next; at.Element == "b#inner" && (at.Frame != "f1" || said(ruleOf(t, at, "b", "")) != "color: rgb(1, 2, 3)") {
			t.Errorf("in the frame: %+v", at)
		}
		if at.Element == "i.deep" && (at.Shadow != "closed" || said(ruleOf(t, at, "i", "")) != "letter-spacing: 2px") {
			t.Errorf("in the closed root: %+v", at)
		}
	}
	if _, err := s.ReadDetails(deadline(t), nobody, s.tab, at.Ref, "parent"); code(err) != protocol.CodeNoElement {
		t.Errorf("beyond the page: %v", err)
	}
}

func (s *stage) edit(t *testing.T, e protocol.ElementEdit) protocol.Edits {
	t.Helper()
	got, err := s.EditElement(deadline(t), nobody, s.tab, e)
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return got
}

func TestEdits(t *testing.T) {
	s := inspected(t)
	style := func(property string) string {
		return strings.Trim(s.eval(t, `getComputedStyle(document.querySelector('#card')).getPropertyValue('`+property+`')`), `"`)
	}
	card := s.details(t, "#card", "")
	box := ruleOf(t, card, ".box", "")
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: box.Declarations[0].Index, Value: "321px"})
	if style("width") != "321px" {
		t.Errorf("width is %s", style("width"))
	}
	// The rule's text changed: its old key does not mean it any more.
	if _, err := s.EditElement(deadline(t), nobody, s.tab, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: 0, Value: "1px"}); code(err) != protocol.CodeChanged {
		t.Errorf("an old key: %v", err)
	}
	box = ruleOf(t, s.details(t, "#card", ""), ".box", "")
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: box.Declarations[0].Index, Name: "min-width", Value: "400px"})
	if style("min-width") != "400px" {
		t.Errorf("min-width is %s", style("min-width"))
	}
	box = ruleOf(t, s.details(t, "#card", ""), ".box", "")
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: box.Declarations[1].Index, Off: true})
	if style("border-top-width") != "0px" {
		t.Errorf("the border is %s", style("border-top-width"))
	}
	box = ruleOf(t, s.details(t, "#card", ""), ".box", "")
	if said(box) != "min-width: 400px; /border: 2px solid rgb(9, 9, 9)" {
		t.Errorf("the rule says %s", said(box))
	}
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: box.Declarations[1].Index, On: true})
	box = ruleOf(t, s.details(t, "#card", ""), ".box", "")
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "Z-Index", Value: "7 !important"})
	box = ruleOf(t, s.details(t, "#card", ""), ".box", "")
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Rule: box.Key, Index: box.Declarations[1].Index, Remove: true})
	if got := said(ruleOf(t, s.details(t, "#card", ""), ".box", "")); got != "min-width: 400px; z-index: 7!" {
		t.Errorf("the rule says %s", got)
	}
	// The style attribute, attributes, classes and text.
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditDeclaration, Index: -1, Name: "left", Value: "3px"})
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditAttribute, Name: "title", Value: "New"})
	s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditClass, Name: "card", Remove: true})
	history := s.edit(t, protocol.ElementEdit{Element: card.Ref, What: protocol.EditText, Value: "<b>plain</b>"})
	now := s.eval(t, `[...document.querySelectorAll('#card')].map((e) => e.outerHTML.replace(/\s+/g, ' '))[0]`)
	if !strings.Contains(now, `class="box"`) || !strings.Contains(now, `title="New"`) || !strings.Contains(now, "left: 3px") || !strings.Contains(now, "&lt;b&gt;plain") {
		t.Errorf("it is %s", now)
	}
	if len(history.Edits) != 10 {
		t.Errorf("the history %+v", history.Edits)
	}
	want := strings.Join([]string{
		"/* " + s.url + "/scss/box.scss:5 */", " .box {", "-  width: 200px;", "-  border: 2px solid rgb(9, 9, 9);", "+  min-width: 400px;", "+  z-index: 7 !important;", " }",
		"/* style attribute of div#card.box.card */", " style attribute {", "   top: 1px;", "+  left: 3px;", " }",
	}, "\n")
	if !strings.HasPrefix(history.Diff, want) || !strings.Contains(history.Diff, "-title=\"A card\"\n+title=\"New\"") {
		t.Errorf("the diff is\n%s", history.Diff)
	}
	// Everything is undone, in order, and made again.
	undone, err := s.UndoEdit(deadline(t), nobody, s.tab, true)
	if err != nil {
		t.Fatal(err)
	}
	if undone.Diff != "" || !undone.Edits[0].Undone || style("width") != "200px" || style("border-top-width") != "2px" {
		t.Errorf("undone: %+v, width %s", undone, style("width"))
	}
	if got := said(ruleOf(t, s.details(t, "#card", ""), "style attribute", "")); got != "top: 1px" {
		t.Errorf("the style attribute says %s", got)
	}
	for range history.Edits {
		if _, err := s.RedoEdit(deadline(t), nobody, s.tab); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := s.EditHistory(deadline(t), nobody, s.tab); err != nil || again.Diff != history.Diff {
		t.Errorf("made again: %v\n%s", err, again.Diff)
	}
	if _, err := s.RedoEdit(deadline(t), nobody, s.tab); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing to make again: %v", err)
	}
	// What the page changed meanwhile is not undone.
	s.eval(t, `document.querySelector('#card').textContent = 'of the page'`)
	if _, err := s.UndoEdit(deadline(t), nobody, s.tab, false); code(err) != protocol.CodeChanged {
		t.Errorf("undo over the page's own change: %v", err)
	}
	// A loaded page has no edits.
	s.open(t, "/?again")
	if after, err := s.EditHistory(deadline(t), nobody, s.tab); err != nil || len(after.Edits) != 0 {
		t.Errorf("after a load: %v %+v", err, after)
	}
	if _, err := s.UndoEdit(deadline(t), nobody, s.tab, false); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing to undo: %v", err)
	}
}

func TestEditsRefused(t *testing.T) {
	s := inspected(t)
	card := s.details(t, "#card", "")
	box := ruleOf(t, card, ".box", "")
	for _, c := range []struct {
		edit protocol.ElementEdit
		code protocol.Code
	}{
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "color", Value: "nonsense"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "color", Value: "red } body { display: none"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "a b", Value: "red"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: 99, Value: "red"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "color", Remove: true}, protocol.CodeNoElement},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: box.Key, Index: -1, Name: "color", Off: true}, protocol.CodeNoElement},
		{protocol.ElementEdit{What: protocol.EditDeclaration, Rule: "0000000000", Index: 0, Value: "red"}, protocol.CodeChanged},
		{protocol.ElementEdit{What: protocol.EditAttribute, Name: "a b", Value: "1"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditAttribute, Name: "title", Value: "A card"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{What: protocol.EditClass, Name: "a b"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{Element: "main", What: protocol.EditText, Value: "1"}, protocol.CodeBadArgument},
		{protocol.ElementEdit{Element: "#nothing", What: protocol.EditText, Value: "1"}, protocol.CodeNoElement},
	} {
		if c.edit.Element == "" {
			c.edit.Element = card.Ref
		}
		if _, err := s.EditElement(deadline(t), nobody, s.tab, c.edit); code(err) != c.code {
			t.Errorf("%+v: %v", c.edit, err)
		}
	}
	if got := said(ruleOf(t, s.details(t, "#card", ""), ".box", "")); got != said(box) {
		t.Errorf("a refused edit changed the rule: %s", got)
	}
	if h, err := s.EditHistory(deadline(t), nobody, s.tab); err != nil || len(h.Edits) != 0 {
		t.Errorf("the history has %+v, %v", h, err)
	}
}

// States are forced until they are not, and the page's changes are reported once until
// the element is read again.
func TestForcedStatesAndEvents(t *testing.T) {
	s := inspected(t)
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan protocol.InspectorEvent, 100), make(chan struct{})
	go func() {
		defer close(ended)
		for e := range s.InspectorEvents(ctx, s.tab, 0) {
			events <- e
		}
	}()
	next := func() string {
		t.Helper()
		select {
		case e := <-events:
			return strings.TrimSpace(string(e.Kind) + " " + e.About)
		case <-deadline(t).Done():
			t.Fatal("no event")
			return ""
		}
	}
	card := s.details(t, "#card", "")
	outline := func() string {
		return strings.Trim(s.eval(t, `getComputedStyle(document.querySelector('#card')).outlineWidth + getComputedStyle(document.querySelector('#card')).outlineStyle`), `"`)
	}
	if forced, err := s.ForceStates(deadline(t), nobody, s.tab, card.Ref, []string{"hover"}); err != nil || !slices.Equal(forced.States, []string{"hover"}) {
		t.Fatalf("%+v, %v", forced, err)
	}
	if got := next(); got != "forced" || outline() != "3pxsolid" {
		t.Errorf("%s, the outline is %s", got, outline())
	}
	d := s.details(t, "#card", "")
	if !slices.Equal(d.States, []string{"hover"}) || said(ruleOf(t, d, ".box:hover", "")) != "outline: 3px solid lime" {
		t.Errorf("forced: %+v", d)
	}
	if _, err := s.ForceStates(deadline(t), nobody, s.tab, card.Ref, nil); err != nil || next() != "forced" || outline() == "3pxsolid" {
		t.Errorf("not forced: %v, the outline is %s", err, outline())
	}
	if _, err := s.ForceStates(deadline(t), nobody, s.tab, card.Ref, []string{"sleepy"}); code(err) != protocol.CodeBadArgument {
		t.Errorf("a state that is none: %v", err)
	}
	for _, change := range []struct{ script, want string }{
		{`document.querySelector('#card').title = 'b'`, "changed attributes"},
		{`document.querySelector('main').className = 'b'`, "changed attributes"},
		{`document.querySelector('h1').className = 'b'`, "changed attributes"},
		{`document.querySelector('style').sheet.insertRule('u { color: red }')`, "changed styles"},
		{`document.head.append(Object.assign(document.createElement('style'), { textContent: 'u {}' }))`, "changed styles"},
		{`document.querySelector('#card').append(document.createElement('u'))`, "changed content"},
		{`document.querySelector('#card').remove()`, "gone content"},
	} {
		s.details(t, "#card", "")
		s.eval(t, change.script)
		if got := next(); got != change.want {
			t.Errorf("%s: %s, not %s", change.script, got, change.want)
		}
	}
	s.details(t, "main", "")
	s.edit(t, protocol.ElementEdit{Element: "main", What: protocol.EditAttribute, Name: "title", Value: "x"})
	if got := next() + ", " + next(); got != "changed attributes, edited" {
		t.Errorf("an edit: %s", got)
	}
	s.details(t, "main", "")
	s.open(t, "/?again")
	if got := next(); got != "gone page" {
		t.Errorf("another page: %s", got)
	}
	cancel()
	<-ended
	// Who comes back gets what it missed.
	again, stop := context.WithCancel(t.Context())
	defer stop()
	for e, gap := range s.InspectorEvents(again, s.tab, 3) {
		if e.Index != 4 || gap {
			t.Errorf("after 3 comes %d, gap %v", e.Index, gap)
		}
		stop()
		break
	}
}
