package catalogue

import (
	"context"
	"fmt"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// SignIns imports sign-ins of other browsers. None of its methods returns a cookie.
type SignIns interface {
	Browsers() []protocol.SignInBrowser
	Imported() ([]protocol.ImportedSite, error)
	Sites(ctx context.Context, browser, profile string) (protocol.SignInSites, error)
	Import(ctx context.Context, q protocol.SignInImport) (protocol.SignInResult, error)
	Remove(ctx context.Context, sites []string) (int, error)
}

// signIns returns the command `signins`, for the user at a shell and in the panel, never
// for an agent.
func (c *commands) signIns() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "signins", Scope: protocol.ScopeSensitive, Summary: "import sign-ins of sites from other browsers on this machine",
			Help: "Cookies are read on a private copy that is removed at once: by the browser that wrote them, and those of Firefox from its files. Agents ask before they open or use a site whose sign-in was imported. " +
				"remove takes the cookies of imported sites out of this session; the other browser keeps its own.",
			Args: []command.Arg{
				command.DoArg("list", "sites", "import", "remove"),
				{Name: "sites", Type: command.Lines, Help: "for import and remove: the sites, such as example.com"},
				{Name: "browser", Type: command.String, Flag: true, Choices: []string{"chrome", "chromium", "edge", "brave", "vivaldi", "opera", "firefox", "firefox-snap", "firefox-flatpak"}, Help: "which browser; the first one that has profiles if left out"},
				{Name: "profile", Type: command.String, Flag: true, Help: "its profile, as list shows it; the first one if left out"},
				{Name: "storage", Type: command.Boolean, Flag: true, Help: "for import: with the local storage of the sites"},
			},
			Needs:    protocol.CapabilitySignIns,
			Returns:  "list: browsers and imported; sites: the sites with how many cookies each has; import: sites and missed",
			Examples: []string{"signins", "signins sites --browser chrome", "signins import example.com --browser chrome --profile Default", "signins remove example.com"},
		}, Tab: command.NoTab, First: userOnly, Run: c.runSignIns},
	}
}

// userOnly refuses an agent, whatever the user would answer: the panel may run the
// command with a token that has the scope sensitive, which an agent's token has too.
func userOnly(in *command.Invocation) error {
	if !in.Agent() {
		return nil
	}
	return protocol.NewError(protocol.CodeForbidden, "only the user imports sign-ins", "ask the user to open Sign-ins in the panel")
}

func (c *commands) runSignIns(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if c.SignIns == nil {
		return command.Result{}, protocol.NewError(protocol.CodeNotRunning, "there is no session to import into", "start the session")
	}
	browser, profile, sites := in.Args.Text("browser"), in.Args.Text("profile"), in.Args.List("sites")
	do := in.Args.Do("list")
	if len(sites) == 0 && (do == "import" || do == "remove") {
		return command.Result{}, command.BadArgument("signins "+do+" needs sites", "", protocol.Example("signins", do, "example.com"))
	}
	switch do {
	case "sites":
		found, err := c.SignIns.Sites(ctx, browser, profile)
		if err != nil {
			return command.Result{}, err
		}
		var lines []string
		for _, one := range found.Sites {
			line := fmt.Sprintf("%-40s %s", one.Site, spelling.Plural(one.Cookies, "cookie"))
			if one.Locked > 0 {
				line += fmt.Sprintf(", %d locked", one.Locked)
			}
			if one.Imported {
				line += "  imported"
			}
			lines = append(lines, line)
		}
		for _, c := range found.Containers {
			lines = append(lines, fmt.Sprintf("left out: %s of the container %s", spelling.Plural(c.Cookies, "cookie"), c.Name))
		}
		if found.Trouble != "" && len(lines) > 0 {
			lines = append(lines, found.Trouble)
		}
		none := "no sign-ins"
		if found.Trouble != "" {
			none = found.Trouble
		}
		return command.Result{Text: listing.Last(lines, 0, none), Data: found}, nil
	case "import":
		done, err := c.SignIns.Import(ctx, protocol.SignInImport{Browser: browser, Profile: profile, Sites: sites, Storage: in.Args.Flag("storage")})
		if err != nil {
			return command.Result{}, err
		}
		res := command.Result{Text: importedText(done), Data: done}
		if len(done.Missed) > 0 {
			res.Failed = protocol.NewError(protocol.CodeBadArgument, "nothing could be taken of "+strings.Join(done.Missed, ", "), "sign in there in a tab")
		}
		return res, nil
	case "remove":
		n, err := c.SignIns.Remove(ctx, sites)
		return command.Result{Text: spelling.Plural(n, "cookie") + " removed", Data: map[string]int{"removed": n}}, err
	}
	all, err := c.SignIns.Imported()
	if err != nil {
		return command.Result{}, err
	}
	browsers := c.SignIns.Browsers()
	var lines []string
	for _, b := range browsers {
		for _, p := range b.Profiles {
			line := fmt.Sprintf("%-9s %-12s %s, %s", b.ID, p.ID, b.Name, p.Name)
			if b.Missing {
				line += "  (the browser is not installed any more)"
			}
			lines = append(lines, line)
		}
	}
	for _, one := range all {
		lines = append(lines, fmt.Sprintf("imported  %s, %s from %s", one.Site, spelling.Plural(one.Cookies, "cookie"), one.Browser))
	}
	return command.Result{Text: listing.Last(lines, 0, "no other browser has sign-ins here"), Data: protocol.SignInList{Browsers: browsers, Imported: all}}, nil
}

// contentsText says what came of a site.
func contentsText(one protocol.ImportedSite) string {
	text := spelling.Plural(one.Cookies, "cookie")
	if one.Items > 0 {
		text += ", " + storageEntries(one.Items)
	}
	return text
}

func storageEntries(n int) string {
	if n == 1 {
		return "1 entry of local storage"
	}
	return fmt.Sprintf("%d entries of local storage", n)
}

func importedText(done protocol.SignInResult) string {
	if len(done.Sites) == 0 {
		return "nothing was imported"
	}
	var lines []string
	for _, one := range done.Sites {
		lines = append(lines, fmt.Sprintf("%s: %s; agents ask before they use it", one.Site, contentsText(one)))
	}
	return strings.Join(lines, "\n")
}
