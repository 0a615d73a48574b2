// Package controlpage lets a browser of the user be one more window of Pilotfish: it gives an
// address with a code that counts once, exchanges the code for a token that is bound to one
// browser, and calls the window's operations for its holder. It is off until the user asks
// for an address. See docs/adr/274.
package controlpage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/hub"
	"pilotfish/backend/logs"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

const (
	// Prefix is the path below which everything of the page is served.
	Prefix = "/control/"
	// codeLife is how long the code of an address counts.
	codeLife = 60 * time.Second
	// maxCodes is how many codes may wait at once; one more replaces the oldest.
	maxCodes = 8
	// defaultLife is how long a page may be used unless the user says otherwise, and
	// maxLife the most that the user may say.
	defaultLife, maxLife = 8 * time.Hour, 7 * 24 * time.Hour
	// logBatch is how many records of the log one event has.
	logBatch = 200
)

// leave is the operation with which a page ends its own token: a page that is loaded again
// has lost it.
const leave = "LeaveControl"

// Config is what a Page needs. Auth, Changes, Changed and Logger are required.
type Config struct {
	Auth *auth.Authority
	// Pages are the files of the window's interface; nil serves none.
	Pages fs.FS
	// Log is the app's log, which the pages show; nil for none.
	Log *logs.Log
	// Changes reports that the state has changed.
	Changes *hub.Hub[struct{}]
	// Changed is called when a page has begun or ended.
	Changed func()
	Logger  *slog.Logger
}

// Page is the control page. Its methods are safe for concurrent use.
type Page struct {
	cfg  Config
	log  *slog.Logger
	wake chan struct{} // notifies Run that a page has begun or ended
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup // operations that run

	mu    sync.Mutex
	table op.Table
	// origins are those of the public addresses that the user has named, newest last.
	origins []string
	asked   bool
	codes   []code
	lives   map[string]context.Context // of the grants, by ID
}

// code is one that waits to be exchanged.
type code struct {
	sum  [sha256.Size]byte
	ends time.Time
	life time.Duration
	// origin is the only one from which it counts; empty for the server's own names.
	origin string
}

// New returns a Page that is off.
func New(cfg Config) *Page {
	life, end := context.WithCancel(context.Background())
	return &Page{cfg: cfg, log: cfg.Logger.With("component", "controlpage"), wake: make(chan struct{}, 1), life: life, end: end, lives: map[string]context.Context{}}
}

// Serve sets the operations that a page may call. Call it before Run.
func (p *Page) Serve(table op.Table) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table = table
}

// Run reports the pages that begin and end, until ctx ends. Then it waits until no
// operation of a page runs any more.
func (p *Page) Run(ctx context.Context) {
	defer p.work.Wait()
	defer p.end()
	for {
		select {
		case <-p.wake:
			p.cfg.Changed()
		case <-ctx.Done():
			return
		}
	}
}

// On reports whether the user has asked for an address in this run.
func (p *Page) On() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Open reports whether some browser may use the page.
func (p *Page) Open() bool {
	return p.cfg.Auth.Any(func(g auth.Grant) bool { return g.Kind == auth.KindControl })
}

// Address returns an address of the page, on a port of this computer unless the user named
// a public one.
func (p *Page) Address(port int, ask protocol.ControlAsk) (protocol.ControlAddress, error) {
	life := time.Duration(ask.Seconds) * time.Second
	if life == 0 {
		life = defaultLife
	}
	if life < time.Minute || life > maxLife {
		return protocol.ControlAddress{}, protocol.NewError(protocol.CodeBadArgument, "the control page is for a minute up to 7 days", "for example --for 8h")
	}
	origin, err := publicOrigin(ask.PublicURL)
	if err != nil {
		return protocol.ControlAddress{}, err
	}
	if port == 0 {
		return protocol.ControlAddress{}, protocol.NewError(protocol.CodeNotRunning, "the local server is still starting", "try again")
	}
	raw := make([]byte, protocol.TokenBytes)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	text := base64.RawURLEncoding.EncodeToString(raw)
	one := code{sum: sha256.Sum256([]byte(text)), ends: time.Now().Add(codeLife), life: life, origin: origin}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
	if origin != "" && !slices.Contains(p.origins, origin) {
		p.origins = append(p.origins, origin)
	}
	if p.codes = append(p.codes, one); len(p.codes) > maxCodes {
		p.codes = p.codes[1:]
	}
	base := origin
	if base == "" {
		base = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	return protocol.ControlAddress{URL: base + Prefix + "#code=" + text, Expires: one.ends.UTC()}, nil
}

// publicOrigin returns the origin of a public address. It refuses plain HTTP to another
// computer: everybody on the way would read the token.
func publicOrigin(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return "", protocol.NewError(protocol.CodeBadArgument, "the public address has a scheme and a host, and nothing else", "for example --public-url https://pilotfish.example")
	}
	host := strings.ToLower(u.Host)
	name := strings.ToLower(u.Hostname())
	ip := net.ParseIP(name)
	if u.Scheme == "http" && name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", protocol.NewError(protocol.CodeBadArgument, "a public address on another computer begins with https://", "let a proxy with a certificate, or ssh, carry it")
	}
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		host = strings.TrimSuffix(host, ":"+port) // as browsers write it
	}
	return u.Scheme + "://" + host, nil
}

// Origin returns the only Origin that a request to a host may have. own says that the host
// is one of the server's own names; other hosts have one only where the user named it.
func (p *Page) Origin(host string, own bool) (string, bool) {
	if own {
		return "http://" + host, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, origin := range p.origins {
		if _, named, _ := strings.Cut(origin, "://"); named == host {
			return origin, true
		}
	}
	return "", false
}

// Exchange returns a token for a code, and the cookie that has to come with it. origin is
// that of the page that sends the code, own whether it came to the server's own name, and
// agent what its browser calls itself. A code counts once, even where it is refused. A
// wrong one is CodeUnauthorized.
func (p *Page) Exchange(origin string, own bool, agent, given string) (protocol.ControlToken, *http.Cookie, error) {
	one, ok := p.take(given)
	if !ok || one.origin == "" && !own || one.origin != "" && one.origin != origin {
		return protocol.ControlToken{}, nil, protocol.NewError(protocol.CodeUnauthorized, "this address was used already, or is too old", "run `pilotfish control` for another one; `pilotfish clients` lists who has used one")
	}
	raw := make([]byte, protocol.TokenBytes)
	_, _ = rand.Read(raw)
	value := base64.RawURLEncoding.EncodeToString(raw)
	name := browserName(agent)
	grant, secret := p.cfg.Auth.Mint(auth.KindControl, auth.Grant{
		Actor:  protocol.Actor{Kind: protocol.ActorUser, Name: "you", Agent: name},
		Origin: origin, Cookie: sha256.Sum256([]byte(value)),
	}, one.life)
	life, end := context.WithCancel(p.life)
	p.mu.Lock()
	p.lives[grant.ID] = life
	p.mu.Unlock()
	p.cfg.Auth.OnEnd(grant.ID, func() {
		end()
		p.changed()
	})
	context.AfterFunc(life, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.lives, grant.ID)
	})
	p.changed()
	p.log.Info("a browser has got the control page", "name", name, "grant", grant.ID, "for", one.life)
	cookie := &http.Cookie{ //nolint:gosec // on loopback there is no https
		Name: cookieName(grant), Value: value, Path: Prefix, MaxAge: int(one.life.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(origin, "https://"),
	}
	return protocol.ControlToken{Token: secret.Reveal(), Name: Name(grant), Ends: time.Now().Add(one.life).UTC()}, cookie, nil
}

// take removes and returns a code that counts.
func (p *Page) take(given string) (found code, ok bool) {
	sum := sha256.Sum256([]byte(given))
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.codes = slices.DeleteFunc(p.codes, func(one code) bool {
		if !now.Before(one.ends) {
			return true
		}
		if subtle.ConstantTimeCompare(sum[:], one.sum[:]) != 1 {
			return false
		}
		found, ok = one, true
		return true
	})
	return found, ok
}

// changed notifies Run.
func (p *Page) changed() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// cookieName is the name of the cookie of a grant. Each has its own, so that two pages in
// one browser do not replace each other's.
func cookieName(grant auth.Grant) string {
	return "pilotfish-control-" + strings.ToLower(grant.ID[:8])
}

// Bound reports whether a request with the token of a page comes from that page: with its
// Origin, and from the browser that has its cookie.
func Bound(grant auth.Grant, r *http.Request) bool {
	from := r.Header.Values("Origin")
	cookie, err := r.Cookie(cookieName(grant))
	if err != nil || len(from) != 1 || from[0] != grant.Origin {
		return false
	}
	sum := sha256.Sum256([]byte(cookie.Value))
	return subtle.ConstantTimeCompare(sum[:], grant.Cookie[:]) == 1
}

// Name is what a page is called: its browser, and the beginning of its ID among clients.
func Name(grant auth.Grant) string { return fmt.Sprintf("%s (%.4s)", grant.Actor.Agent, grant.ID) }

// By returns a call by the user, who is at the control page of a grant.
func By(grant auth.Grant, session protocol.SessionName) op.Call {
	call := op.ByUser(session, "control page "+Name(grant))
	call.Away = true
	return call
}

// Call calls an operation for a page. One that runs goes on when ctx ends, as it does when
// the window is closed, and ends with the page's grant.
func (p *Page) Call(ctx context.Context, grant auth.Grant, asked protocol.ControlCall) protocol.ControlAnswer { //nolint:contextcheck // what runs lives as long as the grant
	if asked.Op == leave {
		p.cfg.Auth.Revoke(grant.ID)
		return protocol.ControlAnswer{}
	}
	p.mu.Lock()
	life, table := p.lives[grant.ID], p.table
	p.mu.Unlock()
	if life == nil {
		return failed(protocol.NewError(protocol.CodeUnauthorized, "this control page has ended", "run `pilotfish control` for another one"))
	}
	done := make(chan protocol.ControlAnswer, 1)
	p.work.Go(func() {
		defer func() {
			if r := recover(); r != nil { // a call of a page must not end the sessions
				p.log.Error("call of a control page panicked", "operation", asked.Op, "panic", r, "stack", string(debug.Stack()))
				done <- failed(protocol.NewError(protocol.CodeInternal, asked.Op+" failed inside Pilotfish", "the log has the details"))
			}
		}()
		data, err := table.Call(life, asked.Op, By(grant, asked.Session), asked.In)
		if err != nil {
			done <- failed(err)
			return
		}
		done <- protocol.ControlAnswer{Data: data}
	})
	select {
	case answer := <-done:
		return answer
	case <-ctx.Done():
		return failed(context.Cause(ctx))
	}
}

func failed(err error) protocol.ControlAnswer {
	why := op.Explained(err)
	return protocol.ControlAnswer{Failed: &why}
}

// Watch sends the state after each change, and new records of the log, until ctx ends or
// send returns an error.
func (p *Page) Watch(ctx context.Context, grant auth.Grant, send func(protocol.ControlEvent) error) error {
	changes := p.cfg.Changes.Subscribe()
	defer changes.Close()
	ctx, cancel := context.WithCancel(ctx)
	records := make(chan []protocol.LogRecord)
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	if p.cfg.Log != nil {
		following.Go(func() {
			p.cfg.Log.Follow(ctx, logBatch, func(batch []protocol.LogRecord) {
				select {
				case records <- batch:
				case <-ctx.Done():
				}
			})
		})
	}
	for {
		event := protocol.ControlEvent{Event: "state"}
		select {
		case _, ok := <-changes.C():
			if !ok {
				return nil
			}
			answer := p.Call(ctx, grant, protocol.ControlCall{Op: "State"})
			if ctx.Err() != nil {
				return nil
			}
			if answer.Failed != nil {
				return protocol.NewError(answer.Failed.Code, answer.Failed.Message, answer.Failed.Hint)
			}
			event.Data = answer.Data
		case batch := <-records:
			event.Event = "log"
			event.Data = encoded(batch)
		case <-ctx.Done():
			return nil
		}
		if err := send(event); err != nil {
			return err
		}
	}
}

// Paths returns the paths of the page's files.
func (p *Page) Paths() []string {
	paths := []string{Prefix}
	if p.cfg.Pages == nil { // in tests of other parts
		return paths
	}
	assets, err := fs.Glob(p.cfg.Pages, "assets/*")
	if err != nil {
		panic(err) // the pattern is valid
	}
	for _, name := range assets {
		paths = append(paths, Prefix+name)
	}
	return paths
}

// policy is the Content-Security-Policy of the page. index.html has one, too, for the
// window; the browser applies both.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP serves a file of the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, Prefix)
	if name == "" {
		name = "index.html"
	}
	kind, ok := map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	}[path.Ext(name)]
	if !ok {
		kind = "application/octet-stream"
	}
	var text []byte
	err := fs.ErrNotExist
	if p.cfg.Pages != nil {
		text, err = fs.ReadFile(p.cfg.Pages, name)
	}
	if err != nil {
		http.Error(w, "This build of Pilotfish has no control page.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	_, _ = w.Write(text) //nolint:gosec // it is a file of ours; an error means that the browser has disconnected
}

// browserName is what a browser is called in lists: its name and its system.
func browserName(agent string) string {
	find := func(names [][2]string) string {
		for _, one := range names {
			if strings.Contains(agent, one[0]) {
				return one[1]
			}
		}
		return ""
	}
	name := find([][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"}})
	if name == "" {
		name = "A browser"
	}
	system := find([][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}})
	if system != "" {
		name += " on " + system
	}
	return name
}

// encoded returns plain values as JSON.
func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values always marshal
	}
	return text
}
