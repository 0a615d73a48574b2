package tap

import (
	"encoding/json"
	"io"
	"testing"
)

// App and test attach to the same new tab: each gets the session that it asked for, whoever
// is first. An attachment that failed does not count.
func TestEachGetsItsOwnSession(t *testing.T) {
	const ofApp, ofTest = 7, firstTapID + 1
	for _, first := range []int64{ofApp, ofTest} {
		p := &proxy{toBrowser: io.Discard, sessions: map[string]bool{}}
		ask := func(id int64) {
			t.Helper()
			message, err := json.Marshal(map[string]any{"id": id, "method": attach, "params": map[string]any{"targetId": "T"}})
			if err == nil {
				err = p.send(append(message, 0))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		says := func(text string, ours bool) {
			t.Helper()
			var e envelope
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			if got := p.ours(e); got != ours {
				t.Errorf("first %d: %s: it is the test's: %v", first, text, got)
			}
		}
		ask(firstTapID + 9)
		ask(first)
		ask(ofApp + ofTest - first)
		says(`{"id":1073741833,"error":{}}`, true)
		says(`{"method":"Target.attachedToTarget","params":{"sessionId":"S1","targetInfo":{"targetId":"T"}}}`, first == ofTest)
		says(`{"method":"Target.attachedToTarget","params":{"sessionId":"S2","targetInfo":{"targetId":"T"}}}`, first == ofApp)
		// What the browser attaches by itself belongs to the app.
		says(`{"method":"Target.attachedToTarget","params":{"sessionId":"S3","targetInfo":{"targetId":"T"}}}`, false)
		says(`{"method":"Page.loadEventFired","sessionId":"S1"}`, first == ofTest)
		says(`{"method":"Page.loadEventFired","sessionId":"S2"}`, first == ofApp)
	}
}
