package e2e

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/agents/fakes/notes"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// keepNote is the action that keeps a note with a server.
func keepNote(server, text string) do {
	return do{"do": "tool", "server": server, "tool": "keep", "arguments": map[string]string{"text": text}}
}

// cue is one turn of a model: what it must have received before, and what it does.
type cue struct {
	reported []string
	actions  []do
}

// following plays turns in order. A model that did not receive what it should ends the
// task without success.
func following(turns ...cue) func(scene) model.Reply {
	return func(s scene) model.Reply {
		n := s.taken()
		if n >= len(turns) {
			return finish(false, "there is no turn "+fmt.Sprint(n))
		}
		for _, reported := range turns[n].reported {
			if !strings.Contains(s.prompt, reported) {
				return finish(false, fmt.Sprintf("before turn %d it was not told %q, but:\n%s", n, reported, s.prompt))
			}
		}
		return step(turns[n].actions...)
	}
}

// ownServers returns the user's MCP servers with their permissions, from `mcp-servers`.
func (p *product) ownServers() (all []string) {
	p.t.Helper()
	var reply struct {
		Servers []struct{ Name, Permission string }
	}
	out := p.cli("mcp-servers", "--json")
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		p.t.Fatalf("mcp-servers --json: %v\n%s", err, out)
	}
	for _, one := range reply.Servers {
		all = append(all, one.Permission+" "+one.Name)
	}
	return all
}

// answers waits for the next question, which must contain all the texts, and answers it.
func (p *product) answers(panel *tap.Page, label, question string, texts ...string) {
	p.t.Helper()
	p.until(panel, "it is asked: "+question, fmt.Sprintf(`document.querySelector('.approval')?.innerText.includes(%q)`, question))
	var shown string
	if err := panel.Eval(p.ctx, `document.querySelector('.approval').querySelector('details').open = true, document.querySelector('.approval').innerText`, &shown); err != nil {
		p.t.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			p.t.Errorf("the question does not say %q:\n%s", text, shown)
		}
	}
	p.wordTo(panel, question, label)
}

// TestTaskUsesTheUsersServers adds two MCP servers on the command line: a program, and a
// server at an address that wants a credential. A task uses their tools, each after the
// user was asked; a new start of the app keeps the list and what was allowed for good. An
// agent of Chat gets the program.
func TestTaskUsesTheUsersServers(t *testing.T) {
	t.Setenv("PATH", filepath.Join(repoRoot(t), "backend/secret/fakes")+":"+os.Getenv("PATH")) // pass
	const credential = "Bearer kept-by-pass-4711"
	team := &notes.Notes{}
	site := httptest.NewServer(team.Handler(credential))
	t.Cleanup(site.Close)
	done := []do{{"do": "done", "success": true, "text": "All is kept."}}
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{
		"Keep": following(
			cue{[]string{"server notes:\n- keep(text: string (what to keep)): keeps a note", "server team:\n- keep("}, []do{keepNote("notes", "milk")}},
			cue{[]string{"FAILED (denied): the user does not allow it"}, []do{keepNote("notes", "eggs")}},
			// What the server says of its variable is masked, and what was denied was not kept.
			cue{[]string{"Note 1 for (masked): eggs"}, []do{keepNote("notes", "")}},
			cue{[]string{"notes reports an error", "a note has words"}, []do{keepNote("notes", "flour"), keepNote("team", "tea")}},
			cue{[]string{"Note 2 for (masked): flour", "Note 1 for (masked): tea"}, []do{keepNote("team", "jam")}},
			cue{[]string{"Note 2 for (masked): jam"}, done},
		),
		"Again": following(
			cue{[]string{"server notes:", "server team:"}, []do{keepNote("notes", "bread"), keepNote("team", "rye")}},
			cue{[]string{"Note 1 for (masked): bread", "Note 3 for (masked): rye"}, done},
		),
		"Late": following(
			cue{[]string{"server team:"}, []do{keepNote("team", "late")}},
			cue{[]string{"team does not answer as an MCP server: it answers 401 Unauthorized"}, done},
		),
	})
	p, _, panel := shared(t)

	p.cli("mcp-servers", "add", "notes", filepath.Join(p.bin, "notes"), "--env", notes.EnvOwner+"=Countess Ada")
	if out, err := p.cliRun("mcp-servers", "add", "team", site.URL, "--header", "Authorization="+credential); err == nil || !strings.Contains(out, "no keychain") {
		t.Errorf("a credential without a keychain: %v\n%s", err, out)
	}
	p.cli("mcp-servers", "add", "team", site.URL, "--header", "Authorization=pass:mcp/team")
	if got := p.ownServers(); !slices.Equal(got, []string{"ask notes", "ask team"}) {
		t.Errorf("the servers are %q", got)
	}

	p.useModel(panel, m.front.URL+"/v1")
	p.toTask(panel)
	p.task(panel, pages+"/landed", "Keep a few notes")
	p.answers(panel, "Allow always", "wants to start your MCP server “notes”", p.bin+"/notes", notes.EnvOwner)
	p.answers(panel, "Allow always", "wants to use your MCP server “team”", site.URL, "Authorization")
	p.answers(panel, "Deny", "wants to use the tool “keep” of your MCP server “notes”", `"text": "milk"`)
	p.answers(panel, "Always", "wants to use the tool “keep” of your MCP server “notes”", `"text": "eggs"`)
	p.answers(panel, "Allow for this task", "wants to use the tool “keep” of your MCP server “team”", `"text": "tea"`)
	p.ended(panel, protocol.TaskDone)
	if got := team.Kept(); !slices.Equal(got, []string{"tea", "jam"}) || team.Refused() > 0 {
		t.Errorf("team has the notes %q and refused %d requests", got, team.Refused())
	}
	p.eventually("the server of the task is gone", func() bool {
		return !slices.ContainsFunc(p.ours(), func(one string) bool { return strings.Contains(one, p.bin+"/notes") })
	})

	// An agent of Chat that cannot connect to an address does without, and the user sees why.
	p.begin(firstConversation, "t1", "Servers")
	p.toChat(panel)
	p.say(panel, "tools")
	p.untilSaid(panel, "tools pilotfish, notes")
	p.until(panel, "a notice names the server that the agent lacks", `document.body.innerText.includes('does not have these of your MCP servers: team (')`)

	p.again(options{})
	browser := p.browser(protocol.DefaultSession)
	panel = p.connectedPanel(browser)
	if got := p.ownServers(); !slices.Equal(got, []string{"allow notes", "allow team"}) {
		t.Errorf("after a new start the servers are %q", got)
	}
	p.toTask(panel)
	// There is no keychain here, so the model's key was kept for that run only.
	p.press(panel, "Change the model")
	p.enter(panel, "Key", model.Key)
	p.press(panel, "Save")
	p.task(panel, pages+"/landed", "Again two notes")
	// “Always” is known, “for this task” was for the other task.
	p.answers(panel, "Allow once", "wants to use the tool “keep” of your MCP server “team”", `"text": "rye"`)
	p.ended(panel, protocol.TaskDone)

	team.Expect("another credential")
	p.task(panel, pages+"/landed", "Late notes")
	p.ended(panel, protocol.TaskDone)
	p.notStored("kept-by-pass-4711")
	p.cli("mcp-servers", "remove", "notes")
	p.cli("mcp-servers", "remove", "team")
}
