package catalogue

import (
	"context"
	"fmt"

	"pilotfish/backend/command"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// secrets returns the command `secret`: secrets that agents may use and never read. It is
// for the user at a shell and in the panel, never for an agent.
func (c *commands) secrets() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "secret", Scope: protocol.ScopeAdmin, Summary: "list, add or remove secrets that agents may use and never read",
			Help: "A secret is used on its own origin only: `fill e4 --secret shop`. " +
				"An agent asks the first time. The command line reads the value from the terminal without showing it, or from its input: it is never an argument. " +
				"It is stored in the system's keychain. With --from it stays where it is, and op, bw or pass is asked for it.",
			Args: []command.Arg{
				command.DoArg("list", "add", "remove"),
				{Name: "name", Type: command.String, Help: "of the secret: a to z, 0 to 9, . _ and -"},
				{Name: "origin", Type: command.String, Flag: true, Help: "for add: the site that it is for, https://shop.example"},
				{Name: "kind", Type: command.String, Flag: true, Choices: []string{"password", "totp", "header"}, Default: "password", Help: "for add: totp is a key of one-time codes, of which a field gets the current one; header is sent with every request to the origin, not in your own browser"},
				{Name: "header", Type: command.String, Flag: true, Help: "for add, with the kind header: its name, such as X-Api-Key"},
				{Name: "user", Type: command.String, Flag: true, Help: "for add: the user name that goes with it; sites that ask for a login by HTTP get both, not in your own browser"},
				{Name: "from", Type: command.String, Flag: true, Help: "for add: where the value is kept instead: op://vault/item/field, bw:item or pass:path"},
				{Name: "value", Type: command.String, Flag: true, Secret: true, Help: "for add, over HTTP only: the value"},
			},
			Returns:  "the secrets, without their values",
			Examples: []string{"secret", "secret add shop --origin https://shop.example --from pass:shop", "secret remove shop"},
		}, Tab: command.NoTab, Run: c.runSecret},
	}
}

func (c *commands) runSecret(ctx context.Context, in *command.Invocation) (command.Result, error) {
	if c.Secrets == nil {
		return command.Result{}, protocol.NewError(protocol.CodeNotRunning, "this Pilotfish keeps no secrets", "start the app")
	}
	name := in.Args.Text("name")
	switch do := in.Args.Do("list"); do {
	case "add":
		for arg, example := range map[string]string{"name": "secret add shop --origin https://shop.example", "origin": "secret add shop --origin https://shop.example"} {
			if err := in.Args.Needs("secret add", arg, example); err != nil {
				return command.Result{}, err
			}
		}
		q := protocol.SecretRequest{Value: in.Args.Text("value")}
		q.Name, q.Origin, q.Kind = name, in.Args.Text("origin"), protocol.SecretKind(in.Args.Text("kind"))
		q.User, q.From, q.Header = in.Args.Text("user"), in.Args.Text("from"), in.Args.Text("header")
		one, err := c.Secrets.Add(ctx, q)
		if err != nil {
			return command.Result{}, err
		}
		text := fmt.Sprintf("the secret %s is for %s", one.Name, one.Origin)
		if one.Kept == "memory" {
			text += "; there is no keychain, so it is kept until Pilotfish ends"
		}
		if why := c.Cannot[protocol.CapabilityLogins]; why != "" && (one.User != "" || one.Kind == protocol.SecretHeader) {
			text += "; your own browser does not send it by itself: " + why
		}
		return command.Result{Text: text, Data: one}, nil
	case "remove":
		if err := in.Args.Needs("secret remove", "name", "secret remove shop"); err != nil {
			return command.Result{}, err
		}
		return command.Result{Text: "the secret " + name + " is removed", Data: map[string]string{"name": name}}, c.Secrets.Remove(ctx, name)
	}
	list, err := c.Secrets.List()
	if err != nil {
		return command.Result{}, err
	}
	lines := make([]string, 0, len(list))
	for _, one := range list {
		where := one.Kept
		if one.From != "" {
			where = one.From
		}
		lines = append(lines, fmt.Sprintf("%-20s %-10s %s  %s", one.Name, one.Kind, one.Origin, where))
	}
	if list == nil {
		list = []protocol.Secret{}
	}
	return command.Result{Text: listing.Last(lines, 0, "no secrets; `pilotfish secret add` adds one"), Data: list}, nil
}
