package background

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
)

// A script's exception and what it writes with console.error are faults, with
// their time; other console messages are not.
func TestFaultOf(t *testing.T) {
	for params, want := range map[string]string{
		`{"type":"error","args":[{"type":"string","value":"no luck"}],"executionContextId":1,"timestamp":1700000000000}`: `"no luck"`,
		`{"type":"log","args":[{"type":"string","value":"hello"}],"executionContextId":1,"timestamp":1700000000000}`:     "",
		`{"type":"error","args":[],"executionContextId":1,"timestamp":1700000000000}`:                                    "",
	} {
		text, at, ok := FaultOf(devtools.Event{Method: runtime.ConsoleAPICalled.Method, Params: jsonv2.Value(params)})
		if text != want || ok != (want != "") || ok && !at.Equal(time.Unix(1700000000, 0)) {
			t.Errorf("%s is %q, %v, at %v", params, text, ok, at)
		}
	}
	thrown := `{"timestamp":1700000000000,"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":1,"columnNumber":1,"exception":{"type":"object","description":"TypeError: x"}}}`
	if text, _, ok := FaultOf(devtools.Event{Method: runtime.ExceptionThrown.Method, Params: jsonv2.Value(thrown)}); !ok || text != "TypeError: x" {
		t.Errorf("it is %q, %v", text, ok)
	}
}

// A dialog is reported once it is answered; the question whether to leave a page
// is not.
func TestDialogs(t *testing.T) {
	w := newWatcher()
	tell := func(method, params string) {
		w.Event(t.Context(), nil, devtools.Event{Method: method, Params: jsonv2.Value(params)})
	}
	for _, kind := range []string{"confirm", "beforeunload"} {
		tell(cdppage.JavascriptDialogOpening.Method, `{"url":"https://example.com/","message":"Really?","type":"`+kind+`","hasBrowserHandler":false,"defaultPrompt":""}`)
		if n := len(w.ring.Items); kind == "confirm" && n != 0 {
			t.Errorf("an open dialog is told of: %+v", w.ring.Items)
		}
		tell(cdppage.JavascriptDialogClosed.Method, `{"result":true,"userInput":""}`)
	}
	if len(w.ring.Items) != 1 || w.ring.Items[0].text != "a dialog was answered: confirm: Really?" {
		t.Errorf("the news are %+v", w.ring.Items)
	}
}
