// Package notes is an MCP server that keeps notes, for tests with the whole product and
// with real agents: a program on its standard streams, or a handler of streamable HTTP.
package notes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// EnvOwner is the variable that the program wants: whose notes it keeps.
const EnvOwner = "NOTES_OWNER"

// Notes are the notes of one server. Its methods are safe for concurrent use.
type Notes struct {
	mu         sync.Mutex
	kept       []string
	credential string
	refused    int
}

// Kept returns the notes.
func (n *Notes) Kept() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.kept)
}

// Refused returns how many requests came without the credential.
func (n *Notes) Refused() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refused
}

// Expect changes the credential that requests over HTTP need.
func (n *Notes) Expect(credential string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.credential = credential
}

// keep keeps a note. The answer says whose it is: what a program got as a variable, and
// what came as a header over HTTP.
func (n *Notes) keep(_ context.Context, r *mcp.CallToolRequest, in struct {
	Text string `json:"text" jsonschema:"what to keep"`
},
) (*mcp.CallToolResult, any, error) {
	if in.Text == "" {
		return nil, nil, errors.New("a note has words")
	}
	owner := os.Getenv(EnvOwner)
	if r.Extra != nil && r.Extra.Header != nil {
		owner = r.Extra.Header.Get("Authorization")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kept = append(n.kept, in.Text)
	said := fmt.Sprintf("Note %d for %s: %s", len(n.kept), owner, in.Text)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, nil
}

func (n *Notes) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "keep", Description: "keeps a note"}, n.keep)
	return server
}

// Run serves on the standard streams until the input ends. It returns the process's exit
// code.
func Run(ctx context.Context) int {
	if err := new(Notes).server().Run(ctx, &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "notes:", err)
		return 1
	}
	return 0
}

// Handler serves over streamable HTTP the requests whose header Authorization is the
// credential. It keeps no sessions: Goose 1.52 does not list the tools of a server of this
// SDK that does.
func (n *Notes) Handler(credential string) http.Handler {
	n.Expect(credential)
	server := n.server()
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		ok := r.Header.Get("Authorization") == n.credential
		if !ok {
			n.refused++
		}
		n.mu.Unlock()
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, r)
	})
}
