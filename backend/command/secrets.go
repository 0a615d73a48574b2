package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Secrets are the user's secrets, as far as commands use them. No method gives a
// value to a caller: Use gives it to the browser.
type Secrets interface {
	List() ([]protocol.Secret, error)
	Add(ctx context.Context, q protocol.SecretRequest) (protocol.Secret, error)
	Remove(ctx context.Context, name string) error
	Find(name string) (protocol.Secret, error)
	// Use returns the value that a field on the secret's own origin gets.
	Use(ctx context.Context, name, origin string) (string, error)
	// Names returns the names of the secrets that fields on an origin can get.
	Names(origin string) []string
	// Used notes that a secret was used, and for whom.
	Used(name, by string)
	// Mask replaces the values that were used.
	Mask(text string) string
	// Held reports whether pages of an origin were given a secret.
	Held(origin string) bool
}

// secrets are the secrets, and who was allowed to use which in this run.
type secrets struct {
	Secrets

	mu      sync.Mutex
	allowed map[use]bool
	agents  map[protocol.TabID]protocol.Actor // who acted last in a tab
}

// agentsMost is how many tabs are known by the agent that acted in them.
const agentsMost = 1000

// acts notes that an agent acts in a tab.
func (s *secrets) acts(a protocol.Actor, tab protocol.TabID) {
	if s == nil || !policy.Agent(a) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.agents) >= agentsMost {
		clear(s.agents)
	}
	s.agents[tab] = a
}

// AgentIn returns the agent that acted last in a tab: what the tab loads is loaded for
// it. It returns false for a tab of the user.
func (r *Registry) AgentIn(tab protocol.TabID) (protocol.Actor, bool) {
	if r.secrets == nil {
		return protocol.Actor{}, false
	}
	r.secrets.mu.Lock()
	defer r.secrets.mu.Unlock()
	a, found := r.secrets.agents[tab]
	return a, found
}

// use is the use of a secret by an actor.
type use struct {
	kind       protocol.ActorKind
	id, secret string
}

func (s *secrets) may(u use) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed[u]
}

func (s *secrets) allow(u use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed[u] = true
}

// WithSecrets lets the commands of the registry use secrets, and masks those that
// were used in every reply. Call it before the first command.
func (r *Registry) WithSecrets(s Secrets) *Registry {
	r.secrets = &secrets{Secrets: s, allowed: map[use]bool{}, agents: map[protocol.TabID]protocol.Actor{}}
	return r
}

// SecretNames returns the names of the secrets that an agent can enter on a page. They
// are no secret: an agent has to name the one that it uses.
func SecretNames(in *Invocation, page string) []string {
	if in.registry.secrets == nil || in.call.ByPage != nil {
		return nil
	}
	return in.registry.secrets.Names(foreign.Origin(page))
}

// mayUseSecret refuses a secret that is not for the page, and asks the user when an
// agent uses it for the first time. The answer holds for this agent and this secret
// until the browser ends; "always" makes a site rule.
func mayUseSecret(ctx context.Context, in *Invocation, c *Command, page string, args []protocol.ApprovalArg) error {
	name := in.Args.Text("secret")
	if !c.Secrets || name == "" {
		return nil
	}
	if in.Args.Given("value") {
		return BadArgument("a secret takes the place of the value", "leave the value out")
	}
	if in.registry.secrets == nil {
		return BadArgument(fmt.Sprintf("there is no secret %.80q", name), "")
	}
	if in.call.ByPage != nil {
		return protocol.NewError(protocol.CodeForbidden, "only Pilotfish itself enters secrets, and the browser does not let it control this tab", "ask the user to type it")
	}
	one, err := in.registry.secrets.Find(name)
	if err != nil {
		return err
	}
	if one.Kind == protocol.SecretHeader {
		return BadArgument(fmt.Sprintf("the secret %s is sent as a header with the requests to %s, and is not typed", one.Name, one.Origin), "leave it out: it is sent by itself")
	}
	facts, err := in.registry.browser.Facts(ctx, in.By(), in.Tab, in.Args.Text("target"), true)
	if err != nil {
		return err
	}
	origin := foreign.Origin(page)
	if facts.Frame != "" {
		origin = foreign.Origin(facts.Frame)
	}
	if origin != one.Origin {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("the secret %s is for %s, and the field is on %s; nothing was typed", one.Name, one.Origin, foreign.Line(origin, foreign.URLShown)), "open its own site")
	}
	if err := in.registry.AuthorizeSecret(ctx, policy.Request{
		Actor: in.Actor, Tab: in.Tab, Command: c.Name, Args: args, Target: unnamed(in, &facts), Asking: in.call.Watch.Asking,
	}, one); err != nil {
		return err
	}
	in.secret = one
	return nil
}

// AuthorizeSecret asks the user when an agent uses a secret for the first time. It
// fills in what the request is about. A user is not asked about their own actions.
func (r *Registry) AuthorizeSecret(ctx context.Context, q policy.Request, one protocol.Secret) error {
	if !policy.Agent(q.Actor) || r.secrets == nil {
		return nil
	}
	q.Kind, q.Page = protocol.ActionSecret, one.Origin+"/"
	if err := r.policy.Denies(q); err != nil {
		return err
	}
	this := use{q.Actor.Kind, q.Actor.ID, one.Name}
	if r.secrets.may(this) {
		return nil
	}
	if err := r.policy.Authorize(ctx, q); err != nil {
		return err
	}
	r.secrets.allow(this)
	return nil
}

// Secret returns the value of the secret that the call may use, and the origin of
// the frame that must have the field; "" for a call without one.
func (in *Invocation) Secret(ctx context.Context) (value, origin string, err error) {
	if in.secret.Name == "" {
		return "", "", nil
	}
	value, err = in.registry.secrets.Use(ctx, in.secret.Name, in.secret.Origin)
	if err == nil {
		in.registry.secrets.Used(in.secret.Name, in.Actor.Name)
	}
	return value, in.secret.Origin, err
}

// sealed refuses an agent's code on pages that were given a secret: code can read a
// field, and write what it reads in a form that nobody masks. A selector by the
// attribute value finds out a value letter by letter.
func sealed(in *Invocation, c *Command, page string) error {
	if in.registry.secrets == nil || !in.Agent() || c.Tab != OwnTab || !in.registry.secrets.Held(foreign.Origin(page)) {
		return nil
	}
	code := c.kind() == protocol.ActionEval || c.Name == "cdp" || c.Answers != nil && c.Answers(in) != ""
	if !code && !probes(in.call.Request.Args) {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("a secret of the user was entered on %s, so agents run no code and match no values there", foreign.Line(foreign.Origin(page), foreign.URLShown)), "use refs and the other commands, or ask the user")
}

// probes reports whether an argument may be a selector that compares values of
// attributes. A backslash can write the name of any of them.
func probes(args map[string]json.RawMessage) bool {
	for _, raw := range args {
		text := strings.ToLower(string(raw))
		if at := strings.Index(text, "["); at >= 0 && strings.ContainsAny(text[at:], "=") && (strings.Contains(text[at:], "value") || strings.Contains(text[at:], `\\`)) {
			return true
		}
	}
	return false
}

// unnamed returns the facts about an element without the values of secrets.
func unnamed(in *Invocation, facts *protocol.TargetFacts) *protocol.TargetFacts {
	if in.registry.secrets == nil || facts == nil {
		return facts
	}
	masked := *facts
	masked.Name = in.registry.secrets.Mask(facts.Name)
	if facts.Form != nil {
		form := *facts.Form
		form.Fields = nil
		for _, f := range facts.Form.Fields {
			form.Fields = append(form.Fields, protocol.FormFact{Name: f.Name, Value: in.registry.secrets.Mask(f.Value)})
		}
		masked.Form = &form
	}
	return &masked
}

// mask removes the values of secrets from a reply, for whomever it is.
func (r *Registry) mask(reply *protocol.CommandReply) {
	if r.secrets == nil {
		return
	}
	reply.Text = r.secrets.Mask(reply.Text)
	if len(reply.Data) > 0 {
		reply.Data = maskJSON(reply.Data, r.secrets.Mask)
	}
	if reply.Error != nil {
		said := reply.Error.Saying(r.secrets.Mask(reply.Error.Message))
		said.Hint = r.secrets.Mask(said.Hint)
		reply.Error = said
	}
}

// maskJSON masks the strings of a JSON document. One of whose numbers is a secret,
// such as a one-time code, is left out.
func maskJSON(data json.RawMessage, mask func(string) string) json.RawMessage {
	var out []byte
	done := 0
	for at := 0; at < len(data); at++ {
		if data[at] != '"' {
			continue
		}
		end := at + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(data) {
			break
		}
		var text string
		if json.Unmarshal(data[at:end+1], &text) == nil {
			if masked := mask(text); masked != text {
				quoted, _ := json.Marshal(masked) // a string always has a JSON form
				out = append(append(out, data[done:at]...), quoted...)
				done = end + 1
			}
		}
		at = end
	}
	out = append(out, data[done:]...)
	if all := json.RawMessage(mask(string(out))); json.Valid(all) {
		return all
	}
	return nil
}
