package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// said is the answer to a command, by any way.
type said struct {
	code  protocol.Code // empty on success
	hint  string
	shape string // of the data; unknown for MCP
	text  string
}

// way is one way to run a command line on a tab.
type way struct {
	name string
	run  func(t *testing.T, line, tab string) said
}

// shape describes a value: the names of an object's fields, the kind of anything
// else.
func shape(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return "nothing"
	}
	if object, ok := v.(map[string]any); ok {
		return strings.Join(slices.Sorted(maps.Keys(object)), " ")
	}
	return fmt.Sprintf("%T", v)
}

func ofReply(reply protocol.CommandReply) said {
	s := said{shape: shape(reply.Data), text: reply.Text}
	if !reply.OK {
		e := protocol.AsError(reply.Error)
		s.code, s.hint = e.Code, e.Advice(protocol.Suggestion.Line)
	}
	return s
}

// byCLI runs the real program.
func (r *installation) byCLI(t *testing.T, line, tab string) said {
	t.Helper()
	words, err := command.SplitLine(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	words = append(words[:1:1], append(extras(tab), words[1:]...)...)
	cmd := r.command(t.Context(), words...)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	err = cmd.Run()
	var reply protocol.CommandReply
	if json.Unmarshal(out.Bytes(), &reply) != nil {
		t.Errorf("%s: no JSON: %q %q, %v", line, out.String(), wrong.String(), err)
		return said{code: "no reply"}
	}
	s := ofReply(reply)
	if got, want := cmd.ProcessState.ExitCode(), s.code.ExitCode(); got != want || (want == 0) != (wrong.Len() == 0) {
		t.Errorf("%s: exit code %d, want %d for %q; it said %q", line, got, want, s.code, wrong.String())
	}
	return s
}

// extras are further arguments for the program: the tab, and JSON output.
func extras(tab string) []string {
	if tab == "" {
		return []string{"--json"}
	}
	return []string{"--json", "--tab", tab}
}

// byHTTP sends POST /command, with the arguments typed as in JSON.
func (r *installation) byHTTP(e protocol.Endpoint) func(t *testing.T, line, tab string) said {
	return func(t *testing.T, line, tab string) said {
		t.Helper()
		req, err := command.ParseLine(line, catalogue.Find)
		if err != nil {
			return ofReply(protocol.CommandReply{Error: protocol.AsError(err)}) // no request can be made of it
		}
		spec, err := catalogue.Find(req.Command)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range spec.Args {
			var text string
			if json.Unmarshal(req.Args[a.Name], &text) != nil {
				continue
			}
			_, notNumber := strconv.Atoi(text)
			switch {
			case a.Type == command.Integer && notNumber == nil, a.Type == command.Boolean && (text == "true" || text == "false"):
				req.Args[a.Name] = json.RawMessage(text)
			case a.Type == command.Lines:
				if req.Args[a.Name], err = json.Marshal(strings.Split(text, "\n")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if req.Tab == "" {
			req.Tab = protocol.TabID(tab)
		}
		return r.post(t, e, req)
	}
}

func (r *installation) post(t *testing.T, e protocol.Endpoint, body any) said {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/command", e.Port), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+e.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var reply protocol.CommandReply
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v", data, resp.Status, err)
	}
	return ofReply(reply)
}

// mcpError matches an error in a tool's result.
var mcpError = regexp.MustCompile(`(?m)^error (\w+): .*(?:\nhint: (.*))?`)

// byMCP calls browser_run in a session with the real server.
func byMCP(s *sdk.ClientSession) func(t *testing.T, line, tab string) said {
	return func(t *testing.T, line, tab string) said {
		t.Helper()
		args := map[string]any{"commands": []string{line}}
		if tab != "" {
			args["tab"] = tab
		}
		result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_run", Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var out said
		for _, c := range result.Content {
			if text, ok := c.(*sdk.TextContent); ok {
				out.text += text.Text
			}
		}
		if !result.IsError {
			return out
		}
		m := mcpError.FindStringSubmatch(out.text)
		if m == nil {
			t.Errorf("%s: no error in %q", line, out.text)
			return said{code: "no error"}
		}
		out.code, out.hint = protocol.Code(m[1]), m[2]
		return out
	}
}

// zoo serves a page with an element for every command: a link (e1), a button that
// opens a prompt (e2), a text field (e3), a list (e4), a button (e5), a checkbox
// (e6), a file field (e7), more buttons (e8 to e12).
func zoo(t *testing.T) (host string) {
	t.Helper()
	const body = `<!doctype html><html lang="en"><title>Zoo</title><style>#menu{color:red}</style><main id="menu">
<h1>Sign in</h1><a href="/done">Done</a>
<button onclick="setTimeout(() => prompt('Name?'))">Ask</button>
<label>Name <input></label><label>City <select><option>Paris<option>Berlin</select></label>
<button id="save" onclick="out.textContent = 'Saved Order complete'; history.pushState(0, '', '/login/done')">Save</button>
<label><input type="checkbox"> Yes</label><label>File <input type="file" multiple></label>
<button>A</button><button>B</button><a href="/file" download>File</a><button>C</button><button>D</button>
<p id="out"></p><p>order 17</p><table><tr><th>x<tr><td>1</table><img alt="" src="/a.png"></main>
<script>fetch('/api'); console.error('a fault'); document.modelContext?.registerTool?.({name:'add',description:'adds',inputSchema:{type:'object',properties:{a:{type:'number'},b:{type:'number'}}},execute:({a,b}) => ({content:[{type:'text',text:String(a+b)}]})})</script>`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"name":"Ada"}`))
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="a.txt"`)
			_, _ = w.Write([]byte("a file"))
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}
