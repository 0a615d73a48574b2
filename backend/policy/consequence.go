package policy

import (
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
)

// Doing describes what is about to be done to an element.
type Doing struct {
	Click bool
	// Enter: a key is pressed that sends a form or presses a button.
	Enter bool
	// Text: text is written into the element.
	Text bool
	// Known: data may be entered on this page's site without asking the user.
	Known bool
	// Elsewhere: the form of the element is sent to another site than its page's.
	Elsewhere bool
	// Gives: data of the caller is given to the page's site without an element, such
	// as in a header or as the answer to a dialog.
	Gives bool
}

// Consequence says what an action would set off, as far as the element shows
// it: one of ActionSend, ActionPay, ActionDelete, ActionSignIn, ActionDownload
// and ActionData, or ActionAct when it sets off nothing that the user must be
// asked about. The judgement relies on what the page says about itself, so a
// page can deceive it, as it can deceive a user. That is why a rule can ask
// about everything on a site.
func Consequence(f protocol.TargetFacts, do Doing) protocol.ActionKind {
	presses := do.Click || do.Enter
	if presses && f.Role == frame {
		return protocol.ActionSend // what is pressed in it is not seen from here
	}
	if presses && f.Download {
		return protocol.ActionDownload
	}
	if presses && f.Submits && (do.Enter || !f.Field) && do.Elsewhere {
		if kind := pressed(f, do); kind != protocol.ActionAct {
			return kind
		}
		return protocol.ActionSend
	}
	if presses && (f.Submits || !f.Field) {
		if kind := pressed(f, do); kind != protocol.ActionAct {
			return kind
		}
	}
	if do.Enter && f.Message && !f.Search {
		return protocol.ActionSend
	}
	// What a field says of itself, such as that it only searches, does not count: a
	// page reads every key.
	if do.Text && !do.Known {
		return protocol.ActionData
	}
	return protocol.ActionAct
}

// frame is the role of a frame in a page: a point that lies in it, or keys that go to
// it, meet something of another document.
const frame = "frame"

// pressed judges a button, a link, or Enter in a field.
func pressed(f protocol.TargetFacts, do Doing) protocol.ActionKind {
	name := f.Name
	if f.Field { // Enter presses the form's button
		if !do.Enter || f.Form == nil {
			return protocol.ActionAct
		}
		name = f.Form.Button
	}
	said := meaning(name)
	link := f.Role == "link" && leads(f.Href)
	switch {
	case said == protocol.ActionPay, said == protocol.ActionDelete:
		return said
	case f.Submits && f.Form != nil && f.Form.Password:
		return protocol.ActionSignIn
	case said == protocol.ActionSignIn && !link && (f.Password || strings.Contains(words1(name), " with ")):
		return protocol.ActionSignIn
	case f.Submits && f.Form != nil && f.Form.Card:
		return protocol.ActionPay
	case said == protocol.ActionSend && !link && !f.Search:
		return protocol.ActionSend
	}
	return protocol.ActionAct
}

// leads reports whether a link only leads to a document.
func leads(href string) bool {
	return href != "" && !strings.HasPrefix(href, "javascript:") && !strings.HasSuffix(href, "#")
}

// vocabulary returns words in the names of buttons, by what the buttons do. A
// single word counts at the beginning or the end of a name, because the verb is
// there; several words count anywhere.
func vocabulary() map[protocol.ActionKind][]string {
	return map[protocol.ActionKind][]string{
		protocol.ActionPay: {
			"pay", "pay now", "buy", "buy now", "place order", "place your order", "order now", "submit order", "complete order", "complete purchase", "confirm purchase",
			"confirm and pay", "confirm payment", "purchase", "subscribe now", "donate", "book now", "transfer money", "send money", "checkout and pay",
			"bezahlen", "zahlen", "kaufen", "jetzt kaufen", "kostenpflichtig bestellen", "zahlungspflichtig bestellen", "bestellen", "überweisen", "spenden", "jetzt buchen",
			"payer", "acheter", "commander", "passer la commande", "valider la commande", "régler",
			"pagar", "comprar", "comprar ahora", "realizar pedido", "hacer pedido", "finalizar compra", "comprar agora",
			"paga", "paga ora", "acquista", "acquista ora", "compra", "ordina",
			"betalen", "kopen", "zapłać", "kup", "kup teraz", "zamawiam",
			"支付", "付款", "购买", "立即购买", "提交订单", "購入", "購入する", "注文する", "注文を確定", "支払う",
		},
		protocol.ActionDelete: {
			"delete", "erase", "remove account", "remove permanently", "close account", "deactivate account", "discard", "empty trash", "destroy", "wipe", "revoke",
			"löschen", "entfernen", "konto schließen", "verwerfen",
			"supprimer", "effacer", "clôturer le compte",
			"eliminar", "borrar", "suprimir",
			"elimina", "cancella", "excluir", "apagar", "verwijderen", "wissen", "usuń", "skasuj",
			"删除", "刪除", "削除", "削除する",
		},
		protocol.ActionSend: {
			"send", "submit", "post", "publish", "tweet", "send message", "post comment", "go live", "deploy", "merge pull request", "release",
			"senden", "absenden", "abschicken", "verschicken", "veröffentlichen", "einreichen", "posten",
			"envoyer", "publier", "soumettre", "poster",
			"enviar", "publicar",
			"invia", "pubblica", "inviare", "verzenden", "versturen", "plaatsen", "indienen", "wyślij", "opublikuj",
			"发送", "发布", "提交", "送信", "送信する", "投稿", "投稿する", "公開",
		},
		protocol.ActionSignIn: {
			"sign in", "log in", "login", "signin", "sign up", "register", "create account", "continue with google", "continue with apple", "sign in with", "log in with",
			"anmelden", "einloggen", "registrieren", "konto erstellen",
			"se connecter", "connexion", "s inscrire", "iniciar sesión", "entrar", "registrarse", "accedi", "registrati", "inloggen", "zaloguj", "zaloguj się",
			"登录", "ログイン",
		},
	}
}

// undoing are words that, at the start of a name, reverse the meaning of the
// verb after them or show that the button only leads somewhere.
var undoing = []string{ //nolint:gochecknoglobals // words
	"cancel", "undo", "don't", "dont", "do not", "keep", "view", "show", "hide", "back", "how to", "about", "recently", "abbrechen", "nicht", "annuler", "cancelar", "annulla",
}

// longName is the largest number of words in a label; a longer name is a
// sentence.
const longName = 8

// meaning says what a button does by its name; ActionAct for nothing special.
func meaning(name string) protocol.ActionKind {
	text := words1(name)
	parts := strings.Fields(text)
	if len(parts) == 0 || len(parts) > longName {
		return protocol.ActionAct
	}
	if slices.ContainsFunc(undoing, func(w string) bool { return strings.HasPrefix(text, " "+w+" ") }) {
		return protocol.ActionAct
	}
	all := vocabulary()
	for _, kind := range []protocol.ActionKind{protocol.ActionPay, protocol.ActionDelete, protocol.ActionSignIn, protocol.ActionSend} {
		for _, word := range all[kind] {
			last := parts[len(parts)-1] == word && word != "post" // "post" at the end is a noun
			if parts[0] == word || last || strings.Contains(word, " ") && strings.Contains(text, " "+word+" ") {
				return kind
			}
		}
	}
	return protocol.ActionAct
}

// words1 returns a name in lower case with one space around each word.
func words1(name string) string {
	text := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || r == '\'' {
			return unicode.ToLower(r)
		}
		return ' '
	}, strings.ReplaceAll(name, "’", "'"))
	return " " + strings.Join(strings.Fields(text), " ") + " "
}

// consequence reports whether a kind is about the consequence of an action on a
// page.
func consequence(kind protocol.ActionKind) bool {
	return slices.Contains([]protocol.ActionKind{
		protocol.ActionSend, protocol.ActionPay, protocol.ActionDelete, protocol.ActionSignIn, protocol.ActionData,
	}, kind)
}

// Judges reports whether the consequence of an actor's action must be found out
// first: always for a task; for other agents on every page that is not on this
// machine, and there where a user made a rule about it. For all other actions
// this costs no time.
func (p *Policy) Judges(a protocol.Actor, page string) bool {
	if !Agent(a) {
		return false
	}
	if a.Kind == protocol.ActorTask || !Local(page) {
		return true
	}
	for _, kind := range []protocol.ActionKind{protocol.ActionSend, protocol.ActionPay, protocol.ActionDelete, protocol.ActionSignIn, protocol.ActionData} {
		if rule := p.rules.Decide(kind, page); !rule.Default && rule.Decision != protocol.SiteAllow {
			return true
		}
	}
	return false
}

// decide returns the rule for a request. By default, consequences are asked
// about, except those of Terminal and Chat agents on this machine: who develops a
// page presses its buttons all the time, and nothing leaves.
func (p *Policy) decide(q Request) protocol.SiteRule {
	rule := p.rules.Decide(q.Kind, q.Page)
	if q.Everywhere {
		rule = p.rules.Strictest(q.Kind)
	}
	if !rule.Default || q.Actor.Kind == protocol.ActorTask || !consequence(q.Kind) || !Local(q.Page) {
		return rule
	}
	rule.Decision = protocol.SiteAllow
	return rule
}
