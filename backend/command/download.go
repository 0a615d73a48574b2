package command

import (
	"context"
	"fmt"

	"pilotfish/backend/protocol"
)

// downloadCommand is `download`: the click, the wait and the path in one turn.
func downloadCommand() command {
	return command{Spec: Spec{
		Name: "download", Scope: protocol.ScopeSensitive, Summary: "click an element that starts a download, wait for the file and print its path",
		Help:  "The target of a link is saved, even if a plain click would open it as a page. `downloads` lists earlier ones.",
		Args:  []Arg{targetArg()},
		Files: true, Returns: "id, tab, url, name, path, state, received, total, at", Examples: []string{"download e10"},
	}, tab: ownTab, run: runDownload}
}

func runDownload(ctx context.Context, in *invocation) (result, error) {
	if err := in.readable(ctx); err != nil {
		return result{}, err
	}
	target := in.args.text("target")
	facts, err := in.browser.Facts(ctx, in.tab, target)
	if err != nil {
		return result{}, in.blamed(in.current(), err, false)
	}
	q := protocol.ActRequest{Kind: protocol.ActClick, Target: target}
	if facts.Href != "" && !facts.Download {
		q.Modifiers = "Alt" // with it the browser saves what a link leads to
	}
	known := make(map[string]bool)
	for _, d := range in.browser.Downloads() {
		known[d.ID] = true
	}
	e, err := in.browser.Act(ctx, in.tab, q, in.allow())
	if err != nil {
		return result{}, in.blamed(e.URL, err, e.Hit != "")
	}
	d, err := in.browser.NextDownload(ctx, in.tab, known)
	if err != nil {
		return result{}, err
	}
	if d.State != "done" {
		return result{}, protocol.NewError(protocol.CodeNavigation, "the download "+d.ID+" was canceled", "start it again")
	}
	return result{text: fmt.Sprintf("%s\n%d KB", in.foreign(d.URL, d.Path), (d.Received+1023)/1024), data: d}, nil
}
