package policy

import (
	"testing"
	"testing/synctest"

	"pilotfish/backend/protocol"
)

func TestConsequence(t *testing.T) {
	click, enter, write := Doing{Click: true, Known: true}, Doing{Enter: true, Known: true}, Doing{Text: true}
	button := func(name string) protocol.TargetFacts { return protocol.TargetFacts{Role: "button", Name: name} }
	submit := func(name string, form protocol.FormFacts) protocol.TargetFacts {
		f := button(name)
		f.Submits, f.Form = true, &form
		return f
	}
	link := func(name, href string) protocol.TargetFacts {
		return protocol.TargetFacts{Role: "link", Name: name, Href: href}
	}
	field := protocol.TargetFacts{Role: "textbox", Name: "Name", Field: true, Type: "text"}
	in := func(f protocol.TargetFacts, button string) protocol.TargetFacts {
		f.Submits, f.Form = true, &protocol.FormFacts{Button: button}
		return f
	}
	for _, c := range []struct {
		name string
		f    protocol.TargetFacts
		do   Doing
		want protocol.ActionKind
	}{
		{"send", button("Send message"), click, protocol.ActionSend},
		{"send in German", button("Nachricht senden"), click, protocol.ActionSend},
		{"send in Chinese", button("发送"), click, protocol.ActionSend},
		{"post", button("Post"), click, protocol.ActionSend},
		{"a blog post", button("Read blog post"), click, protocol.ActionAct},
		{"a link to posts", link("Post", "https://example.com/posts"), click, protocol.ActionAct},
		{"submit", submit("Submit", protocol.FormFacts{}), click, protocol.ActionSend},
		{"save", submit("Save", protocol.FormFacts{}), click, protocol.ActionAct},
		{"save at another site", submit("Save", protocol.FormFacts{}), Doing{Click: true, Known: true, Elsewhere: true}, protocol.ActionSend},
		{"pay at another site", submit("Pay", protocol.FormFacts{}), Doing{Click: true, Known: true, Elsewhere: true}, protocol.ActionPay},
		{"Enter in such a form", in(field, "Save"), Doing{Enter: true, Known: true, Elsewhere: true}, protocol.ActionSend},
		{"a click into its field", in(field, "Save"), Doing{Click: true, Known: true, Elsewhere: true}, protocol.ActionAct},
		{"a link beside such a form", link("More", "https://example.com/"), Doing{Click: true, Known: true, Elsewhere: true}, protocol.ActionAct},
		{"next", button("Next"), click, protocol.ActionAct},
		{"order", button("Place order · 12 €"), click, protocol.ActionPay},
		{"order in German", button("Zahlungspflichtig bestellen"), click, protocol.ActionPay},
		{"order in Japanese", button("購入する"), click, protocol.ActionPay},
		{"cancel an order", button("Cancel and don't pay"), click, protocol.ActionAct},
		{"a card form", submit("Continue", protocol.FormFacts{Card: true}), click, protocol.ActionPay},
		{"delete", button("Delete account"), click, protocol.ActionDelete},
		{"delete in French", button("Supprimer"), click, protocol.ActionDelete},
		{"delete by a link", link("Delete", "https://example.com/del?id=1"), click, protocol.ActionDelete},
		{"deleted things", button("Recently deleted"), click, protocol.ActionAct},
		{"a sentence", button("We never delete what you have written here before you tell us"), click, protocol.ActionAct},
		{"sign in", submit("Go", protocol.FormFacts{Password: true}), click, protocol.ActionSignIn},
		{"a link to sign in", link("Sign in", "https://example.com/login"), click, protocol.ActionAct},
		{"sign in elsewhere", button("Sign in with Google"), click, protocol.ActionSignIn},
		{"download", protocol.TargetFacts{Role: "link", Name: "Report", Href: "https://example.com/r", Download: true}, click, protocol.ActionDownload},
		{"Enter in a form that sends", in(field, "Send"), enter, protocol.ActionSend},
		{"a click into its field", in(field, "Send"), click, protocol.ActionAct},
		{"Enter in a form that saves", in(field, "Save"), enter, protocol.ActionAct},
		{"Enter in a message", protocol.TargetFacts{Field: true, Message: true}, enter, protocol.ActionSend},
		{"text on a new site", field, write, protocol.ActionData},
		{"a search there", protocol.TargetFacts{Field: true, Search: true}, write, protocol.ActionData},
		{"keys that no field takes", protocol.TargetFacts{Role: "generic"}, write, protocol.ActionData},
		{"text where it began", field, Doing{Text: true, Known: true}, protocol.ActionAct},
	} {
		if got := Consequence(c.f, c.do); got != c.want {
			t.Errorf("%s: %s and not %s", c.name, got, c.want)
		}
	}
}

// An agent asks before an action with a consequence. On this machine, only a task
// does, or where a rule says so.
func TestAgentsAskFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newAsking()
		one := protocol.Actor{Kind: protocol.ActorTask, ID: "1", Name: "task “A”"}
		two := protocol.Actor{Kind: protocol.ActorTask, ID: "2", Name: "task “B”"}
		const page = "https://shop.example.com/basket"
		pay := func(a protocol.Actor) Request {
			return Request{Actor: a, Kind: protocol.ActionPay, Tab: "t1", Page: page, Command: "click"}
		}
		for _, local := range []string{"http://localhost:3000/basket", "http://shop.localhost/", "http://127.0.0.2/", "http://[::1]:80/", "http://0x7f.1/"} {
			q := Request{Actor: agent, Kind: protocol.ActionPay, Tab: "t1", Page: local, Command: "click"}
			if p.Judges(agent, local) || p.Authorize(t.Context(), q) != nil {
				t.Errorf("an agent is asked about %s, without a rule", local)
			}
		}
		denied := ask(t.Context(), p, pay(agent))
		if len(b.Pending()) != 1 || !p.Judges(agent, page) {
			t.Fatal("another agent is not asked about")
		}
		if err := b.Answer(b.Pending()[0].ID, protocol.AnswerDeny); err != nil || code(<-denied) != protocol.CodeDenied {
			t.Error("another agent was let:", err)
		}
		done := ask(t.Context(), p, pay(one))
		waiting := b.Pending()
		if len(waiting) != 1 || !p.Judges(one, page) {
			t.Fatalf("what waits is %+v", waiting)
		}
		if err := b.Answer(waiting[0].ID, protocol.AnswerTask); err != nil || <-done != nil {
			t.Fatal("for this task:", err)
		}
		if err := p.Authorize(t.Context(), pay(one)); err != nil || len(b.Pending()) != 0 {
			t.Error("it was asked again:", err)
		}
		for name, q := range map[string]Request{
			"another task": pay(two),
			"another kind": {Actor: one, Kind: protocol.ActionDelete, Page: page},
			"another site": {Actor: one, Kind: protocol.ActionPay, Page: "https://other.example.org/"},
		} {
			done := ask(t.Context(), p, q)
			if len(b.Pending()) != 1 {
				t.Fatalf("%s is not asked about", name)
			}
			if err := b.Answer(b.Pending()[0].ID, protocol.AnswerDeny); err != nil || code(<-done) != protocol.CodeDenied {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.Over(one)
		done = ask(t.Context(), p, pay(one))
		if len(b.Pending()) != 1 {
			t.Fatal("a task that is over keeps what it was given")
		}
		b.Gone(one)
		if code(<-done) != protocol.CodeRefused {
			t.Error("a task that has gone was let")
		}
		if err := p.Rules().Set(protocol.SiteRule{Site: "*.example.com", Kind: protocol.ActionPay, Decision: protocol.SiteDeny}); err != nil {
			t.Fatal(err)
		}
		if !p.Judges(agent, page) || code(p.Authorize(t.Context(), pay(agent))) != protocol.CodeRefused || code(p.Authorize(t.Context(), pay(one))) != protocol.CodeRefused {
			t.Error("never is not never")
		}
		done = ask(t.Context(), p, request(agent))
		if code(b.Answer(b.Pending()[0].ID, protocol.AnswerTask)) != protocol.CodeBadArgument {
			t.Error("an agent that is no task was answered as one")
		}
		b.Close()
		if code(<-done) != protocol.CodeRefused {
			t.Error("a question outlives its session")
		}
	})
}

func TestKnownSites(t *testing.T) {
	p := New(Config{})
	a := protocol.Actor{Kind: protocol.ActorTask, ID: "1"}
	if !p.Known(a, "https://anywhere.example/") {
		t.Error("who never began is bound")
	}
	p.Begin(a, "Send the form on shop.example.org", "https://www.example.com/a")
	p.Begin(a, "", "https://evil.example/") // a second call of Begin has no effect
	for page, want := range map[string]bool{
		"https://www.example.com/b": true, "https://mail.example.com/": true, "https://shop.example.org/": true,
		"https://evil.example/": false, "https://notexample.com/": false, "data:text/html,": false, "about:blank": false,
	} {
		if got := p.Known(a, page); got != want {
			t.Errorf("%s: %v", page, got)
		}
	}
	p.Learn(a, "https://evil.example/x")
	if !p.Known(a, "https://evil.example/y") {
		t.Error("what was allowed is forgotten")
	}
}

// What a point or a key meets inside of a frame is not known, and so is asked about.
func TestPressInAFrame(t *testing.T) {
	f := protocol.TargetFacts{Role: "frame", Name: "Checkout"}
	for do, want := range map[Doing]protocol.ActionKind{
		{Click: true}:             protocol.ActionSend,
		{Enter: true}:             protocol.ActionSend,
		{Text: true, Known: true}: protocol.ActionAct,
	} {
		if got := Consequence(f, do); got != want {
			t.Errorf("%+v: %s, want %s", do, got, want)
		}
	}
}
