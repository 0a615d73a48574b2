package main

import (
	"context"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// control prints an address of the control page.
func (p *program) control(ctx context.Context, in syntax.Invocation) error {
	req := protocol.ControlAsk{PublicURL: in.Values["public-url"]}
	if text := in.Values["for"]; text != "" {
		life, err := time.ParseDuration(text)
		if err != nil || life < time.Minute {
			return syntax.Bad("--for is a time such as 8h, at least 1m, not %q", text)
		}
		req.Seconds = int(life.Seconds())
	}
	var at protocol.ControlAddress
	if err := p.post(ctx, in, "/control-page", req, &at); err != nil {
		return err
	}
	if in.JSON {
		return p.printJSON(at)
	}
	if err := p.print(at.URL); err != nil {
		return err
	}
	say.Note(p.stderr, "Open it in a browser within a minute; it counts once. `pilotfish clients` lists and revokes the page.")
	return nil
}

// controlSpec declares the command control.
func controlSpec() syntax.Spec {
	return syntax.Spec{
		Name: "control", Summary: "print an address that opens Pilotfish's window in a browser", Group: syntax.GroupApp,
		Help: "The page has what the window has: sessions, approvals, schedules, settings, logs. The address has a code that counts once and for a minute; then the page is bound to that browser until its time is over, you revoke it, or it is loaded again. It is reached on this computer only: from elsewhere through ssh -L, or a proxy of yours with a certificate, whose address --public-url names. It must pass the Host header on.",
		Args: []syntax.Arg{
			{Name: "for", Flag: true, Help: "how long the page may be used, up to 168h; 8h when it is left out"},
			{Name: "public-url", Flag: true, Help: "the address under which your browser reaches the server: https://pilotfish.example, or http://localhost:8000 with ssh -L"},
		},
		Examples: []string{"pilotfish control", "pilotfish control --for 1h --public-url http://localhost:8000"},
	}
}
