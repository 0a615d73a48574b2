package browser

import (
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// witness records the element that each trusted event hit: the nearest one with
// an id.
const witness = `<meta name=viewport content="width=device-width"><script>
	var met = {};
	for (const type of ['mousedown', 'click', 'contextmenu', 'dblclick', 'mousemove', 'mouseup'])
		addEventListener(type, (event) => {
			const at = event.composedPath().find((node) => node.id);
			// A label's click is followed by one of its field.
			if (event.isTrusted && !(type === 'click' && met.click)) met[type] = at ? at.id : 'none';
		}, true);
	</script><style>body { margin: 8px; font: 16px/20px sans-serif } li { padding: 4px }</style>`

// exactPage is a page with elements that are easily mistaken for each other. want
// maps each way to name an element to what it must hit: the id of an element, or
// an error code.
type exactPage struct {
	name string
	body string
	want map[string]string
}

func exactPages() []exactPage {
	list := `<ul id=ul><li id=a>One</li><li id=b>Two</li><li id=c>Three</li><li id=d>Four</li><li id=e>Five</li></ul>`
	return []exactPage{
		{"one listener on the list", list + `<script>ul.addEventListener('click', () => 1)</script>`, map[string]string{
			"text=One": "a", "text=Five": "e", "text=four": "d", "#c": "c", "text=hre": "c", "text=/^T.o$/": "b", "role=listitem nth=2": "b",
		}},
		{"one listener on the document", list + `<script>document.addEventListener('click', () => 1); document.addEventListener('mousedown', () => 1)</script>`, map[string]string{
			"text=One": "a", "text=Two": "b", "text=Five": "e",
		}},
		{"one listener on a table", `<table id=t onclick=1 style="cursor:pointer"><tr id=r1><td id=a>Ada</td><td id=b>London</td></tr><tr id=r2><td id=c>Bob</td><td id=d>Paris <b id=e>Nord</b></td></tr></table>`, map[string]string{
			"text=Ada": "a", "text=Paris": "d", "text=Nord": "e", "text=Bob": "c", "td >> nope": "bad_argument", "#d": "d|e",
		}},
		{"operables in each other", `<div id=card onclick=1 style="width:400px;padding:10px;border:1px solid"><p id=title>Garden chair</p><button id=del style="width:100%;height:60px">Delete</button><a id=more href="#x">More</a></div>`, map[string]string{
			"text=Garden chair": "title", "text=Delete": "del", "text=More": "more", "#card": "card|title", "role=button name=Delete": "del", "text=Garden": "title",
		}},
		{"a card of which all is another's", `<div id=card tabindex=0 style="width:300px"><div id=in style="height:80px">Inner</div></div><script>card.addEventListener('click', () => 1); document.getElementById('in').addEventListener('click', () => 1)</script>`, map[string]string{
			"text=Inner": "in", "#in": "in",
		}},
		{"a link and its inner span", `<a id=l href="#x"><span id=s>Basket</span></a> <p id=p>Your Basket is empty</p>`, map[string]string{
			"text=Basket": "s", "text=empty": "p", `role=link name=Basket`: "s|l", "#l": "l|s",
		}},
		{"a text in two places", `<p id=a>Total</p><p id=b>Total</p><button id=c>Go on</button><h2 id=d>Go on</h2>`, map[string]string{
			"text=Total": "ambiguous", "text=Total nth=2": "b", "text=Total nth=3": "no_element", "text=Go on": "ambiguous", `role=button name="Go on"`: "c",
		}},
		{"an exact one and a longer one", `<p id=a>Save as template</p><button id=b>Save</button><p id=c>SAVE</p>`, map[string]string{
			"text=Save": "b", "text=SAVE": "c", "text=save": "ambiguous", "text=template": "a", "text=ave as": "a",
		}},
		{"a text over several elements", `<button id=b>Add <i id=i>to</i> basket</button><p id=p><span>S</span><span>p</span><span>lit</span> here</p>`, map[string]string{
			"text=Add to basket": "b|i", "text=Split": "p", "text=to basket": "b|i",
		}},
		{"hidden doubles", `<button style="display:none">Pay</button><button style="visibility:hidden">Pay</button><div style="height:0;overflow:hidden"><button>Pay</button></div><button style="opacity:0">Pay</button>
			<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">Pay</span><button id=b>Pay</button>`, map[string]string{
			"text=Pay": "b", "role=button name=Pay": "b",
		}},
		{"a link over two lines", `<div style="width:200px" id=box>A long line of words that go on <a id=l href="#x">and the link that wraps</a> until the end of it</div>`, map[string]string{
			"#l": "l", "text=and the link that wraps": "l", "text=wraps": "l", "text=until": "box", "role=link": "l",
		}},
		{"labels and fields", `<label id=la>News (weekly) <input type=checkbox id=news checked></label><br><label id=lb for=mail>Mail</label> <input id=mail><br><input id=q placeholder="Find it"><div id=lc>City</div><input id=city aria-labelledby=lc>`, map[string]string{
			"text=News (weekly)": "la", "label=News (weekly)": "news|la", "#news": "news", "label=Mail": "mail", "text=Mail": "lb", "text=Find it": "q", "text=City": "lc",
		}},
		{"turned, scaled and zoomed", `<div style="transform:rotate(30deg) scale(1.5);margin:150px;width:200px"><button id=a>Turned</button><button id=b>Next</button></div><div style="zoom:1.7"><span id=c>Zoomed</span> <span id=d>Beside</span></div>`, map[string]string{
			"text=Turned": "a", "#b": "b", "text=Zoomed": "c", "#d": "d", "text=Beside": "d",
		}},
		{"far down in a scrolling area", `<div id=box style="height:120px;overflow:auto;width:300px;border:1px solid">` + strings.Repeat("<p>line</p>", 60) + `<p id=z>Last one</p></div><div style="height:3000px"></div><p id=y>Bottom</p>`, map[string]string{
			"text=Last one": "z", "#z": "z", "text=Bottom": "y",
		}},
		{"right to left", `<div dir=rtl style="width:500px"><a id=a href="#x">שלום עולם</a> <span id=b>מילה</span></div>`, map[string]string{
			"text=שלום עולם": "a", "text=מילה": "b", "text=עולם": "a",
		}},
		{"shadow roots", `<div id=host></div><div id=slotted>Slotted</div><script>
			const root = host.attachShadow({ mode: 'open' }); root.innerHTML = '<ul id=in><li id=s1>Alpha</li><li id=s2>Beta</li></ul>'; root.addEventListener('click', () => 1);
			const other = slotted.attachShadow({ mode: 'open' }); other.innerHTML = '<b id=wrap>(<slot></slot>)</b>'</script>`, map[string]string{
			"text=Alpha": "s1", "text=Beta": "s2", "#s2": "s2", "text=Slotted": "slotted|wrap",
		}},
		{"overlapping neighbours", `<div style="position:relative;height:60px;width:300px"><div id=a style="position:absolute;inset:0;background:#eee">Under</div><div id=b style="position:absolute;left:0;top:0;width:150px;height:60px;background:#fcc"></div></div>
			<div style="position:relative;height:60px;width:300px"><button id=c style="position:absolute;inset:0;width:300px">Wide</button><div id=d style="position:absolute;inset:0 0 0 30px;background:#cfc">cover</div></div>`, map[string]string{
			"text=Under": "covered", "#a": "a", "#c": "c", "text=Wide": "covered", "text=cover": "d",
		}},
		{"an image map", `<img id=im usemap="#m" width=200 height=100 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><map name=m><area id=left href="#l" alt=Left coords="0,0,100,100"><area id=tri href="#r" alt=Right shape=poly coords="190,0,200,0,200,100,110,100,198,2"></map>`, map[string]string{
			"role=link name=Left": "left", "#tri": "tri", "text=Right": "tri",
		}},
		{"under a sticky header, above a fixed footer", `<div id=head style="position:sticky;top:0;height:120px;background:#ddd">Head</div>` + strings.Repeat("<p>filler</p>", 40) + `<button id=a>Middle</button>` + strings.Repeat("<p>filler</p>", 40) +
			`<div id=foot style="position:fixed;bottom:0;left:0;right:0;height:200px;background:#ddd">Foot</div><div style="height:300px"></div><script>scrollTo(0, a.offsetTop - 40)</script>`, map[string]string{
			"#a": "a", "text=Middle": "a", "role=button name=Middle": "a", "text=Foot": "foot",
		}},
		{"covered but for a corner", `<div style="position:relative;width:400px;height:200px"><button id=a style="position:absolute;inset:0;width:400px;height:200px">Big</button><div id=b style="position:absolute;left:12px;top:0;right:0;bottom:0;background:#fcc"></div></div>`, map[string]string{
			"#a": "a",
		}},
		{"things that nothing frees", `<button id=a>Below</button><div id=over style="position:fixed;inset:0;background:#fff9">Please wait</div>`, map[string]string{
			"#a": "covered", "text=Below": "covered", "text=Please wait": "over",
		}},
		{"words in a button that take no pointer", `<button id=a><span style="pointer-events:none">Sign <b>in</b></span><span style="position:absolute;inset:0"></span></button><style>#a { position: relative }</style>`, map[string]string{
			"text=Sign in": "a", "#a": "a",
		}},
		{"a delete mark over a row", `<div id=row style="position:relative;width:200px">Report<i id=del onclick=1 style="position:absolute;left:0;top:0;width:60px;height:20px"></i></div>`, map[string]string{
			"text=Report": "covered", "#del": "del",
		}},
		{"buttons that are fields", `<input type=submit id=a value="Send it"><input type=button id=b value=Cancel><input id=c value=Cancel>`, map[string]string{
			"text=Send it": "a", "text=Cancel": "b", "text=cancel": "b",
		}},
		{"a modal dialog", `<button id=a>Delete</button><dialog id=dlg><button id=b>Delete</button></dialog><script>dlg.showModal()</script>`, map[string]string{
			"text=Delete": "b", "role=button name=Delete": "b", "#a": "inert",
		}},
		{"capitals by style", `<p id=a style="text-transform:uppercase">Sale</p><p id=b>Wholesale</p>`, map[string]string{
			"text=SALE": "a", "text=Sale": "a",
		}},
		{"what a framework shows as its root", `<div id=root><div id=app><p id=a>Hello</p><button id=b>Press</button></div></div><script>root.addEventListener('click', () => 1); root.addEventListener('mousedown', () => 1)</script>`, map[string]string{
			"text=Hello": "a", "text=Press": "b", "#b": "b",
		}},
	}
}

// Whatever names an element and whatever the action is, the event hits exactly
// that element, or is refused with a correct reason.
func TestExact(t *testing.T) {
	verbs := map[string]struct {
		event string
		act   func(target string) protocol.ActRequest
	}{
		"click": {"click", click},
		"right": {"contextmenu", func(target string) protocol.ActRequest {
			return protocol.ActRequest{Kind: protocol.ActClick, Target: target, Button: "right"}
		}},
		"double": {"dblclick", func(target string) protocol.ActRequest {
			return protocol.ActRequest{Kind: protocol.ActClick, Target: target, Count: 2}
		}},
		"hover": {"mousemove", func(target string) protocol.ActRequest {
			return protocol.ActRequest{Kind: protocol.ActHover, Target: target}
		}},
		"drag": {"mousedown", func(target string) protocol.ActRequest {
			return protocol.ActRequest{Kind: protocol.ActDrag, Target: target, To: "600,300"}
		}},
		"drop": {"mouseup", func(target string) protocol.ActRequest {
			return protocol.ActRequest{Kind: protocol.ActDrag, Target: "css=#grip", To: target}
		}},
	}
	all := map[string]string{}
	for i, p := range exactPages() {
		all[fmt.Sprintf("/%d", i)] = witness + p.body
		all[fmt.Sprintf("/%d/grip", i)] = witness + `<div id=grip style="position:fixed;right:0;top:0;width:20px;height:20px;background:red;z-index:9" onmousedown="event.preventDefault()"></div>` + p.body
	}
	s := &stage{fixture: headless(t), url: pages(t, all)}
	s.tab = s.first(t)
	targets := 0
	for i, p := range exactPages() {
		for target, want := range p.want {
			at := ""
			targets++
			for v, verb := range []string{"click", "right", "double", "hover", "drag", "drop"} {
				how := verbs[verb]
				if testing.Short() && v != 0 && v != 1+targets%5 {
					continue // a click on each target, and the others by turns; make test-all does all
				}
				path := fmt.Sprintf("/%d", i)
				if verb == "drop" {
					if p.name == "a modal dialog" || p.name == "things that nothing frees" {
						continue // this target cannot be dragged
					}
					path += "/grip"
				}
				if path != at {
					s.open(t, path)
					s.snap(t, protocol.SnapshotRequest{})
					at = path
				}
				s.eval(t, "met = {}")
				_, err := s.Act(deadline(t), nobody, s.tab, how.act(target), nil)
				got := string(code(err))
				if err == nil {
					got = s.eval(t, fmt.Sprintf("met[%q]", how.event))
				}
				if !strings.Contains("|"+want+"|", "|"+got+"|") {
					t.Errorf("%s: %s %s met %s, want %s (%v)", p.name, verb, target, got, want, err)
				}
			}
		}
	}
}
