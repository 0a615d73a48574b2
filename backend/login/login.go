// Package login answers servers that ask for a login (HTTP basic and digest
// authentication) with the user's secrets, or asks the user in the panel, and gives
// requests the headers that are secrets. The browser asks it (backend/browser/httpauth);
// no command and no agent does.
package login

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/hub"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// kept is how long the value of a header is kept in memory: op, bw and pass would
// otherwise be asked for it at every request.
const kept = 10 * time.Minute

// retry is after how long a header is tried again that could not be had.
const retry = 20 * time.Second

// addressMost is how many bytes of the address of a request the user sees.
const addressMost = 2000

// Commands say for whom a tab loads its pages. command.Registry is one.
type Commands interface {
	// AgentIn returns the agent that acts in a tab; false for a tab of the user.
	AgentIn(tab protocol.TabID) (protocol.Actor, bool)
	// AuthorizeSecret returns nil when an agent may use a secret. It may ask the user.
	AuthorizeSecret(ctx context.Context, q policy.Request, one protocol.Secret) error
	// Tabs returns the tabs, for what opened a tab.
	Tabs() []protocol.Tab
}

// Config is what Logins need. All fields are required unless they say otherwise.
type Config struct {
	Secrets *secret.Store
	// Broker asks the user in the panel.
	Broker *policy.Broker
	// Quiet asks nobody, because there is no panel.
	Quiet bool
	// Events is told of a protocol.Error about a secret that cannot be used.
	Events *hub.Hub[any]
	Logger *slog.Logger
}

// Logins answers for one run of a session. Its methods are safe for concurrent use.
type Logins struct {
	config   Config
	log      *slog.Logger
	commands Commands

	mu      sync.Mutex
	origins []string
	changed <-chan struct{}
	typed   map[string]typed // what the user typed last, by origin

	values  sync.Mutex // held while a keeper is asked, so that it is asked once
	headers map[string]header
}

// typed is a login that the user typed, as long as it is not known whether it is right.
type typed struct{ user, saved string }

// header are the headers of an origin, until they are asked for anew.
type header struct {
	all   []httpauth.Header
	until time.Time
	known <-chan struct{} // closed when they may have changed
}

// New returns Logins.
func New(c Config) *Logins {
	return &Logins{config: c, log: c.Logger.With("component", "login"), typed: map[string]typed{}, headers: map[string]header{}}
}

// Judge sets the commands of the browser, which was made with these Logins. Call it before
// the browser runs.
func (l *Logins) Judge(commands Commands) { l.commands = commands }

// Login implements httpauth.Answers: the login comes from a secret of the origin, the
// first time, or from the user.
func (l *Logins) Login(ctx context.Context, c httpauth.Challenge) (httpauth.Login, bool) {
	actor, agent := l.agent(c.Tab)
	if !agent {
		actor = protocol.Actor{Kind: protocol.ActorUser, Name: "you"}
	}
	one, found := l.secret(c)
	if found && c.Attempt == 1 {
		login, err := l.use(ctx, c, one, actor)
		if err == nil {
			return login, true
		}
		if code := protocol.AsError(err).Code; code == protocol.CodeDenied || code == protocol.CodeRefused { // the user, or a rule of theirs
			return httpauth.Login{}, false
		}
		l.tell(one, err)
	}
	return l.ask(ctx, c, one, actor)
}

// secret returns the secret for a server: a password with a user name.
func (l *Logins) secret(c httpauth.Challenge) (protocol.Secret, bool) {
	list, err := l.config.Secrets.List()
	if err != nil || c.Proxy {
		return protocol.Secret{}, false
	}
	at := slices.IndexFunc(list, func(o protocol.Secret) bool {
		return o.Kind == protocol.SecretPassword && o.Origin == c.Origin && o.User != ""
	})
	if at < 0 {
		return protocol.Secret{}, false
	}
	return list[at], true
}

func (l *Logins) use(ctx context.Context, c httpauth.Challenge, one protocol.Secret, actor protocol.Actor) (httpauth.Login, error) {
	request := policy.Request{
		Actor: actor, Tab: c.Tab, Command: protocol.LoginQuestion, Args: []protocol.ApprovalArg{{Name: "secret", Value: one.Name}},
	}
	if err := l.commands.AuthorizeSecret(ctx, request, one); err != nil {
		return httpauth.Login{}, err
	}
	value, err := l.config.Secrets.Use(ctx, one.Name, c.Origin)
	if err != nil {
		return httpauth.Login{}, err
	}
	l.config.Secrets.Used(one.Name, actor.Name)
	return httpauth.Login{User: one.User, Password: value}, nil
}

// ask lets the user type the login. It is for this request alone, unless they save it.
func (l *Logins) ask(ctx context.Context, c httpauth.Challenge, one protocol.Secret, actor protocol.Actor) (httpauth.Login, bool) {
	before := l.before(c)
	if l.config.Quiet {
		return httpauth.Login{}, false
	}
	address := c.URL
	if len(address) > addressMost {
		address = ""
	}
	known := one.User
	if before.user != "" {
		known = before.user
	}
	verdict, err := l.config.Broker.AskVerdict(ctx, protocol.Approval{
		Actor: actor, Tab: c.Tab, URL: address, Origin: c.Origin, Command: protocol.LoginQuestion, Kind: protocol.ActionSignIn,
		Login: &protocol.LoginAsk{Scheme: c.Scheme, Realm: c.Realm, Proxy: c.Proxy, Again: c.Attempt > 1, User: known, Saves: !c.Proxy},
	}, nil)
	if err != nil || verdict.Login == nil {
		if before.saved != "" { // it was wrong, and nobody corrects it
			_ = l.config.Secrets.Remove(context.WithoutCancel(ctx), before.saved)
		}
		return httpauth.Login{}, false
	}
	given := *verdict.Login
	l.config.Secrets.Typed(c.Origin, given.User, given.Password)
	now := typed{user: given.User}
	if given.Save && !c.Proxy {
		now.saved = l.save(ctx, c.Origin, one, given)
	}
	l.mu.Lock()
	l.typed[c.Origin] = now
	l.mu.Unlock()
	return httpauth.Login{User: given.User, Password: given.Password}, true
}

// before returns what the user typed for the request before, and forgets it.
func (l *Logins) before(c httpauth.Challenge) typed {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.typed[c.Origin]
	delete(l.typed, c.Origin)
	if c.Attempt == 1 {
		return typed{}
	}
	return was
}

// save keeps a login as a secret and returns its name; "" when it is not kept.
func (l *Logins) save(ctx context.Context, origin string, old protocol.Secret, given protocol.LoginAnswer) string {
	name := old.Name
	if name == "" {
		name = l.free(nameOf(origin))
	}
	q := protocol.SecretRequest{Value: given.Password}
	q.Name, q.Origin, q.Kind, q.User = name, origin, protocol.SecretPassword, given.User
	if _, err := l.config.Secrets.Add(ctx, q); err != nil {
		e := *protocol.AsError(err)
		e.Message = "The login was used and not saved: " + e.Message
		l.config.Events.Report(e)
		return ""
	}
	return name
}

// nameOf returns the name of the secret of an origin.
func nameOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9_.-]+`).ReplaceAllString(strings.ToLower(host), "-"), "-_.")
	if len(name) > 60 {
		name = name[:60]
	}
	if name == "" {
		name = "login"
	}
	return name
}

// free returns a name that no secret has.
func (l *Logins) free(name string) string {
	list, err := l.config.Secrets.List()
	if err != nil {
		return name
	}
	taken := func(n string) bool {
		return slices.ContainsFunc(list, func(o protocol.Secret) bool { return o.Name == n })
	}
	for n, at := name, '2'; at <= '9'; at++ {
		if !taken(n) {
			return n
		}
		n = name + "-" + string(at)
	}
	return name
}

// agent returns the agent for which a tab loads its pages: its own, or that of the tab
// that opened it.
func (l *Logins) agent(tab protocol.TabID) (protocol.Actor, bool) {
	tabs := l.commands.Tabs()
	for range len(tabs) + 1 {
		if a, found := l.commands.AgentIn(tab); found || tab == "" {
			return a, found
		}
		at := slices.IndexFunc(tabs, func(t protocol.Tab) bool { return t.ID == tab })
		if at < 0 || tabs[at].ByUser {
			break
		}
		tab = tabs[at].Opener
	}
	return protocol.Actor{}, false
}

// Watched implements httpauth.Answers: the origins of logins and headers.
func (l *Logins) Watched() ([]string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed != nil {
		select {
		case <-l.changed:
		default:
			return l.origins, l.changed
		}
	}
	l.changed, l.origins = l.config.Secrets.Changes(), nil
	list, err := l.config.Secrets.List()
	if err != nil {
		l.log.Warn("the secrets cannot be read", "error", err)
	}
	for _, one := range list {
		if (one.Kind == protocol.SecretHeader || one.Kind == protocol.SecretPassword && one.User != "") && !slices.Contains(l.origins, one.Origin) {
			l.origins = append(l.origins, one.Origin)
		}
	}
	return l.origins, l.changed
}

// Headers implements httpauth.Answers.
func (l *Logins) Headers(ctx context.Context, origin string) []httpauth.Header {
	l.values.Lock()
	defer l.values.Unlock()
	if h, found := l.headers[origin]; found && time.Now().Before(h.until) {
		select {
		case <-h.known:
		default:
			return h.all
		}
	}
	h := header{until: time.Now().Add(kept), known: l.config.Secrets.Changes()}
	list, _ := l.config.Secrets.List() // Watched reports an error
	for _, one := range list {
		if one.Kind != protocol.SecretHeader || one.Origin != origin {
			continue
		}
		value, err := l.config.Secrets.Use(ctx, one.Name, origin)
		if err != nil {
			l.tell(one, err)
			h.until = time.Now().Add(retry)
			continue
		}
		l.config.Secrets.Used(one.Name, "requests of the browser")
		h.all = append(h.all, httpauth.Header{Name: one.Header, Value: value})
	}
	if ctx.Err() == nil {
		l.headers[origin] = h
	}
	return h.all
}

// tell reports a secret that cannot be used. The errors of secrets have no values.
func (l *Logins) tell(one protocol.Secret, err error) {
	l.log.Warn("a secret was not used", "secret", one.Name, "code", protocol.AsError(err).Code)
	l.config.Events.Report(*protocol.AsError(err))
}
