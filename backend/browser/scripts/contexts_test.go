package scripts

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"pilotfish/backend/browser/devtools"
)

// THREATS 66: content scripts of extensions and the world of Pilotfish do not exist for a
// program, and neither do objects from there.
func TestContexts(t *testing.T) {
	c, worlds := contexts{}, map[string]bool{"utility": true, "1Password": true}
	for _, e := range []struct {
		method, params string
		want           bool
	}{
		{"Runtime.executionContextCreated", `{"context":{"id":1,"origin":"https://a.test","name":"","uniqueId":"u1","auxData":{"isDefault":true}}}`, true},
		{"Runtime.executionContextCreated", `{"context":{"id":2,"origin":"chrome-extension://abc","name":"1Password","uniqueId":"u2","auxData":{"isDefault":false}}}`, false},
		{"Runtime.executionContextCreated", `{"context":{"id":3,"origin":"https://a.test","name":"pilotfish-page","uniqueId":"u3","auxData":{"isDefault":false}}}`, false},
		{"Runtime.executionContextCreated", `{"context":{"id":4,"origin":"https://a.test","name":"utility","uniqueId":"u4","auxData":{"isDefault":false}}}`, true},
		{"Runtime.executionContextCreated", `{"context":{"id":5,"origin":"https://a.test","name":"of another","uniqueId":"u5","auxData":{"isDefault":false}}}`, false},
		{"Runtime.consoleAPICalled", `{"executionContextId":1}`, true},
		{"Runtime.consoleAPICalled", `{"executionContextId":2}`, false},
		{"Runtime.exceptionThrown", `{"exceptionDetails":{"executionContextId":3}}`, false},
		{"Runtime.bindingCalled", `{"executionContextId":5}`, false},
		{"Runtime.executionContextDestroyed", `{"executionContextId":5}`, false},
		{"Page.frameNavigated", `{}`, true},
	} {
		if got := c.event(devtools.Event{Method: e.method, Params: jsonv2.Value(e.params)}, false, worlds); got != e.want {
			t.Errorf("%s %s: %t", e.method, e.params, got)
		}
	}
	for _, q := range []struct{ method, params, want string }{ // want: what is passed on; empty when it is refused
		{"Runtime.evaluate", `{"expression":"1"}`, `{"expression":"1"}`},
		{"Runtime.evaluate", `{"contextId":1}`, `{"uniqueContextId":"u1"}`},
		{"Runtime.evaluate", `{"contextId":2}`, ""},
		{"Runtime.evaluate", `{"contextId":"1"}`, ""},
		{"Runtime.evaluate", `{"uniqueContextId":"u4"}`, `{"uniqueContextId":"u4"}`},
		{"Runtime.evaluate", `{"uniqueContextId":"u2"}`, ""},
		{"Runtime.callFunctionOn", `{"executionContextId":4}`, `{"uniqueContextId":"u4"}`},
		{"Runtime.callFunctionOn", `{"objectId":"-7.1.9"}`, `{"objectId":"-7.1.9"}`},
		{"Runtime.callFunctionOn", `{"objectId":"-7.2.9"}`, ""},
		{"Runtime.callFunctionOn", `{"objectId":"9"}`, ""},
		{"Runtime.callFunctionOn", `{"objectId":7}`, ""},
		{"Runtime.callFunctionOn", `{"objectId":"-7.1.9","arguments":[{"value":1},{"objectId":"-7.3.1"}]}`, ""},
		{"DOM.resolveNode", `{"executionContextId":4}`, `{"executionContextId":4}`},
		{"DOM.resolveNode", `{"executionContextId":3}`, ""},
		{"Runtime.addBinding", `{"executionContextId":5}`, ""},
	} {
		p, err := decode(jsonv2.Value(q.params))
		if err == nil {
			err = c.judge(q.method, p)
		}
		got := ""
		if err == nil {
			got = string(p.encode())
		} else if !strings.Contains(err.Error(), "Cannot find context") {
			t.Errorf("%s: %v", q.params, err)
		}
		if got != q.want {
			t.Errorf("%s %s: %s, %v", q.method, q.params, got, err)
		}
	}
	c.event(devtools.Event{Method: "Runtime.executionContextsCleared"}, false, worlds)
	if len(c) != 0 {
		t.Errorf("%v after a navigation", c)
	}
	if !c.event(devtools.Event{Method: "Runtime.executionContextCreated", Params: jsonv2.Value(`{"context":{"id":1,"uniqueId":"w"}}`)}, true, nil) {
		t.Error("a worker has no context")
	}
}
