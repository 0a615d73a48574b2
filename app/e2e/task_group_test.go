package e2e

import (
	"encoding/json"

	"pilotfish/backend/protocol"
)

// groups returns the browser's tab groups.
func (p *product) groups() []protocol.TabGroup {
	p.t.Helper()
	var reply struct {
		Data []protocol.TabGroup `json:"data"`
	}
	if err := json.Unmarshal([]byte(p.cli("groups", "--json")), &reply); err != nil {
		p.t.Fatal(err)
	}
	return reply.Data
}

// grouped: the task's tab and the tabs that it opens form a group, which has the
// task's name and a colour for its state. At the end the tabs are where they
// were, or stay a group if the user wants that.
func (w *watched) grouped() {
	for _, keep := range []bool{false, true} {
		w.task(w.panel, w.site+"/hands", "Open the other one")
		w.thinking()
		w.eventually("both tabs are a group that is at work", func() bool {
			all := w.groups()
			return len(all) == 1 && all[0].Title == "Open the other one" && all[0].Color == "blue" && len(all[0].Tabs) == 2
		})
		if keep {
			const box = `document.querySelector('.tabs input[type=checkbox]')`
			w.until(w.panel, "it can be said that the group stays", box)
			w.do(w.panel, box+".click()")
		}
		w.answers()
		w.ended(w.panel, protocol.TaskDone)
		w.eventually("the group is as it was wanted", func() bool {
			all := w.groups()
			if !keep {
				return len(all) == 0
			}
			return len(all) == 1 && all[0].Color == "green" && len(all[0].Tabs) == 2
		})
		for _, tab := range w.session(protocol.DefaultSession).Tabs {
			if tab.Title == "Aside" {
				w.cli("closetab", string(tab.ID))
			}
		}
	}
}
