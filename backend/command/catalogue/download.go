package catalogue

import (
	"context"
	"fmt"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// downloadCommand returns the command `download`, which does the click, the
// wait and the path in one call.
func (c *commands) downloadCommand() command.Command {
	return command.Command{Spec: command.Spec{
		Name: "download", Scope: protocol.ScopeSensitive, Summary: "click an element that starts a download, wait for the file and print its path",
		Help:  "The target of a link is saved, even if a plain click would open it as a page. `downloads` lists earlier ones.",
		Args:  []command.Arg{targetArg()},
		Files: true, Returns: "id, tab, url, name, path, state, received, total, at", Examples: []string{"download e10"},
	}, Tab: command.OwnTab, Kind: protocol.ActionDownload, Run: c.runDownload}
}

func (c *commands) runDownload(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if err := in.Readable(ctx); err != nil {
		return command.Result{}, err
	}
	target := in.Args.Text("target")
	facts, err := c.Browser.Facts(ctx, in.By(), in.Tab, target, false)
	if err != nil {
		return command.Result{}, blamed(in, in.Current(), err, false)
	}
	q := protocol.ActRequest{Kind: protocol.ActClick, Target: target}
	if facts.Href != "" && !facts.Download {
		q.Modifiers = "Alt" // makes the browser save what a link leads to
	}
	known := make(map[string]bool)
	for _, d := range c.Browser.Downloads() {
		known[d.ID] = true
	}
	e, err := c.Browser.Act(ctx, in.By(), in.Tab, q, in.Allow())
	if err != nil {
		return command.Result{}, blamed(in, e.URL, err, e.Hit != "")
	}
	d, err := c.Browser.NextDownload(ctx, in.Tab, known)
	if err != nil {
		return command.Result{}, err
	}
	if d.State != "done" {
		return command.Result{}, protocol.NewError(protocol.CodeNavigation, "the download "+d.ID+" was canceled", "start it again")
	}
	return command.Result{Text: fmt.Sprintf("%s\n%d KB", in.Foreign(d.URL, d.Path), (d.Received+1023)/1024), Data: d}, nil
}
