package browser

import (
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// A page survives alternating snapshots and clicks. When the browser was asked
// for the listeners below a handle of our world, it crashed the page at the 16th
// time.
func TestAPageOutlivesManySteps(t *testing.T) {
	s := stageOf(t, `<button id=b>Add</button> <output id=n></output> <label>Name <input id=f></label>
		<script>let i = 0; b.onclick = () => { n.textContent = 'Clicked ' + ++i }; f.onkeydown = () => { i = 0 }</script>`)
	for i := range 40 {
		if _, err := s.Act(deadline(t), nobody, s.tab, click("css=#b"), nil); err != nil {
			t.Fatalf("click %d: %v", i+1, err)
		}
		if snap, want := s.snap(t, protocol.SnapshotRequest{Near: true}), fmt.Sprintf("Clicked %d\n", i+1); !strings.Contains(snap.Text+"\n", want) {
			t.Fatalf("after click %d the page shows\n%s", i+1, snap.Text)
		}
	}
}
