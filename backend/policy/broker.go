package policy

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// Broker holds every question that waits for the user's answer, whichever agent
// asks. Only code that has the Broker can answer: no command reaches it. Its
// methods are safe for concurrent use.
type Broker struct {
	session protocol.SessionName
	changed func()

	// watch is called for every question when it starts to wait, and when it has
	// ended.
	watch func(question protocol.Approval, over *Over)
	// unattended: there is nobody to ask.
	unattended atomic.Bool

	mu      sync.Mutex
	pending []*pending
}

// Over says how a question ended.
type Over struct {
	Verdict
	// Err is why nobody answered the question; nil when it was answered.
	Err error
}

// pending is one question. answer has room for the one answer that counts.
type pending struct {
	protocol.Approval
	answer chan verdict
}

// Verdict is the user's answer to a question.
type Verdict struct {
	Answer protocol.ApprovalAnswer
	// Option is the one of Approval.Options that was chosen; empty when the user
	// was offered only the standard answers.
	Option string
	// Place is where the user answered: "tray", "window", "panel".
	Place string
	// Login is what the user typed for a server that asked for it; nil otherwise.
	Login *protocol.LoginAnswer
}

// verdict is the Verdict, or why there is none.
type verdict struct {
	Verdict
	err error
}

// NewBroker returns a broker without questions. changed is called after every
// change of the pending questions, on the goroutine that made it; it must not
// block.
func NewBroker(session protocol.SessionName, changed func()) *Broker {
	return &Broker{session: session, changed: changed}
}

// Watch sets a callback for every question: watch is called when the question
// starts to wait, with over nil, and again when it has ended. It runs on the
// goroutine that asks. Call Watch before the first question.
func (b *Broker) Watch(watch func(question protocol.Approval, over *Over)) { b.watch = watch }

// SetUnattended says whether the broker refuses every new question at once, because the
// session has no panel, window, tray or control page in which somebody could answer.
func (b *Broker) SetUnattended(is bool) { b.unattended.Store(is) }

// Pending returns the questions that wait, oldest first.
func (b *Broker) Pending() []protocol.Approval {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]protocol.Approval, 0, len(b.pending))
	for _, p := range b.pending {
		list = append(list, p.Approval)
	}
	return list
}

// Ask asks the user about a request and waits for the answer. It sets the
// request's ID, Session, Words, Since and Expires. It returns CodeBusy when too many
// questions wait, CodeTimeout when nobody answered in time, and CodeRefused
// when the agent that asked has ended or nobody can be asked.
func (b *Broker) Ask(ctx context.Context, request protocol.Approval) (protocol.ApprovalAnswer, error) {
	v, err := b.AskVerdict(ctx, request, nil)
	return v.Answer, err
}

// AskVerdict is Ask, and also returns which option was chosen, and where. It
// calls asking as soon as the question waits; nil for no callback.
func (b *Broker) AskVerdict(ctx context.Context, request protocol.Approval, asking func(protocol.Approval)) (Verdict, error) {
	if b.unattended.Load() {
		return Verdict{}, protocol.NewError(protocol.CodeRefused, cmp.Or(request.Command, "this")+" needs the user's approval, and a session without a window has nobody to ask", "the user is asked on the control page, which `pilotfish control` opens",
			protocol.Try("shows what agents may do without a question", "rules"))
	}
	nonce := make([]byte, 16)
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	p := &pending{Approval: request, answer: make(chan verdict, 1)}
	p.Words = question.Words(request)
	p.ID, p.Session, p.Since = base64.RawURLEncoding.EncodeToString(nonce), b.session, time.Now().UTC()
	p.Expires = p.Since.Add(protocol.ApprovalTimeout)
	if at, ok := ctx.Deadline(); ok {
		p.Expires = at.UTC()
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, protocol.ApprovalTimeout)
		defer cancel()
	}
	b.mu.Lock()
	if request.Conversation == "" && b.commands() >= protocol.MaxApprovals {
		b.mu.Unlock()
		return Verdict{}, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("%d commands are already waiting for the user", protocol.MaxApprovals), "wait until they are answered")
	}
	b.pending = append(b.pending, p)
	b.mu.Unlock()
	b.changed()
	if asking != nil {
		asking(p.Approval)
	}
	if b.watch == nil {
		return b.await(ctx, p)
	}
	b.watch(p.Approval, nil)
	v, err := b.await(ctx, p)
	b.watch(p.Approval, &Over{v, err})
	return v, err
}

// await waits for the answer to a question.
func (b *Broker) await(ctx context.Context, p *pending) (Verdict, error) {
	select {
	case v := <-p.answer:
		return v.Verdict, v.err
	case <-ctx.Done():
	}
	if b.take(p.ID) == nil {
		v := <-p.answer // answered or dropped in the meantime
		return v.Verdict, v.err
	}
	b.changed()
	if context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // the context's own
		return Verdict{}, protocol.NewError(protocol.CodeTimeout, "nobody answered in Pilotfish in time", "ask the user, and try again with a longer --timeout")
	}
	return Verdict{}, protocol.NewError(protocol.CodeRefused, "the caller gave up before the user answered", "")
}

// Answer gives the user's answer to a question. The first answer counts; it
// returns CodeBadArgument for a question that does not wait, or no longer.
func (b *Broker) Answer(id string, answer protocol.ApprovalAnswer) error {
	return b.AnswerOption(id, answer, "", "")
}

// AnswerOption is Answer with the option of the question that the user chose,
// and the place where they did.
func (b *Broker) AnswerOption(id string, answer protocol.ApprovalAnswer, option, place string) error {
	switch answer {
	case protocol.AnswerOnce, protocol.AnswerAlways, protocol.AnswerTask, protocol.AnswerDeny:
	default:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not an answer", answer), "use once, always, task or deny")
	}
	b.mu.Lock()
	at := slices.IndexFunc(b.pending, func(p *pending) bool { return p.ID == id })
	if at >= 0 && answer == protocol.AnswerAlways && b.pending[at].Site == "" && !b.pending[at].offers(answer) {
		b.mu.Unlock()
		return protocol.NewError(protocol.CodeBadArgument, "this page has no site to make a rule for", "allow it once")
	}
	if at >= 0 && answer == protocol.AnswerTask && b.pending[at].Actor.Kind != protocol.ActorTask {
		b.mu.Unlock()
		return protocol.NewError(protocol.CodeBadArgument, "this was not asked by a task", "allow it once")
	}
	if at >= 0 && answer != protocol.AnswerDeny && b.pending[at].Login != nil {
		b.mu.Unlock()
		return protocol.NewError(protocol.CodeBadArgument, "this asks for a user name and a password", "type them in the panel beside the tab")
	}
	b.mu.Unlock()
	return b.give(id, Verdict{Answer: answer, Option: option, Place: place})
}

// AnswerLogin gives a login to a question that asks for one.
func (b *Broker) AnswerLogin(id string, login protocol.LoginAnswer, place string) error {
	if login.User == "" && login.Password == "" || len(login.User) > protocol.MaxLoginUser || len(login.Password) > protocol.MaxSecretValue {
		return protocol.NewError(protocol.CodeBadArgument, "the user name or the password is missing or too long", "type what the site asks for")
	}
	b.mu.Lock()
	asked := slices.ContainsFunc(b.pending, func(p *pending) bool { return p.ID == id && p.Login != nil })
	b.mu.Unlock()
	if !asked {
		return protocol.NewError(protocol.CodeBadArgument, "this question does not ask for a login, or no longer waits", "")
	}
	return b.give(id, Verdict{Answer: protocol.AnswerOnce, Place: place, Login: &login})
}

// give ends a question with the user's answer.
func (b *Broker) give(id string, v Verdict) error {
	p := b.take(id)
	if p == nil {
		return protocol.NewError(protocol.CodeBadArgument, "this approval was already answered, or is no longer needed", "")
	}
	p.answer <- verdict{Verdict: v}
	b.changed()
	return nil
}

// commands counts the questions of commands. Conversations have a limit of
// their own: each has one turn at a time.
func (b *Broker) commands() (n int) {
	for _, p := range b.pending {
		if p.Conversation == "" {
			n++
		}
	}
	return n
}

// offers reports whether the question has an option for an answer.
func (p *pending) offers(answer protocol.ApprovalAnswer) bool {
	return slices.ContainsFunc(p.Options, func(o protocol.PermissionOption) bool { return o.Kind == answer })
}

// take removes and returns a question; nil when it does not wait.
func (b *Broker) take(id string) *pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, p := range b.pending {
		if p.ID == id {
			b.pending = slices.Delete(b.pending, i, i+1)
			return p
		}
	}
	return nil
}

// Gone ends the questions of an actor whose process has ended.
func (b *Broker) Gone(a protocol.Actor) {
	b.drop("the program that asked is over", func(p *pending) bool { return p.Actor.Kind == a.Kind && p.Actor.ID == a.ID })
}

// Close ends every question, because the session stops.
func (b *Broker) Close() { b.drop("the session stopped", func(*pending) bool { return true }) }

func (b *Broker) drop(why string, which func(*pending) bool) {
	b.mu.Lock()
	var dropped []*pending
	b.pending = slices.DeleteFunc(b.pending, func(p *pending) bool {
		if which(p) {
			dropped = append(dropped, p)
			return true
		}
		return false
	})
	b.mu.Unlock()
	for _, p := range dropped {
		p.answer <- verdict{err: protocol.NewError(protocol.CodeRefused, "nobody answers any more: "+why, "")}
	}
	if len(dropped) > 0 {
		b.changed()
	}
}
