package bridge

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An invalid line is answered with an error, and the server continues: every
// other line gets its answer.
func TestMCPGoesOnAfterALineThatIsNoMessage(t *testing.T) {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- (Streams{Getenv: nowhere(t), Version: "v9", In: in, Out: out}).MCP(t.Context())
		_ = out.Close()
	}()
	reader := bufio.NewReaderSize(answers, 1<<20)
	for i, c := range []struct{ line, want string }{
		{"{", `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"name":"pilotfish"`},
		{"\r\n \nno JSON", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":2,"method":"ping"}{}`, `"code":-32700`},
		{`{"hello":"world"}`, `"id":null,"error":{"code":-32600`},
		{`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`, `"code":-32600`},
		{`"` + strings.Repeat("x", sdk.DefaultMaxLineLength) + `"`, `"code":-32600,"message":"a message has 16 MB at most"`},
		{`{"jsonrpc":"2.0","id":4,"method":"ping"}` + "\r", `"id":4,"result":{}`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping"}` + "  ", `"id":5,"result":{}`},
		{"\t\n" + `  {"jsonrpc":"2.0","id":6,"method":"ping"}` + " \t \r", `"id":6,"result":{}`},
		{`{"jsonrpc":"2.0","id":7,"method":"ping"} x `, `"code":-32700`},
		{`{"jsonrpc":"2.0","id":8,"method":"ping"}` + "\t", `"id":8,"result":{}`},
	} {
		if _, err := io.WriteString(client, c.line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := reader.ReadString('\n')
		if err != nil || !strings.Contains(answer, c.want) {
			t.Fatalf("line %d: no %s in %q, %v", i, c.want, answer, err)
		}
	}
	_ = client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The last line may lack a line end.
func TestTheLastLineOfMCP(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":5,"method":"ping"}`
	got, err := io.ReadAll(&lines{in: bufio.NewReader(strings.NewReader("\n" + message)), out: &messageWriter{out: io.Discard}})
	if err != nil || string(got) != message+"\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Every request is answered where the input ends right after it, but one that was cancelled.
func TestMCPAnswersBeforeItEnds(t *testing.T) {
	const requests = `{"jsonrpc":"2.0","id":"1","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tabs","arguments":{}}}
{"jsonrpc":"2.0","id":"three","method":"no/such"}
{"jsonrpc":"2.0","id":4.0,"method":"tools/call","params":{"name":"wait","arguments":{"for":"quiet"}}}`
	for range 20 {
		var out bytes.Buffer
		if err := (Streams{Getenv: nowhere(t), Version: "v9", In: strings.NewReader(requests), Out: &out}).MCP(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{`"1"`, "1", "2", `"three"`, "4"} {
			if !strings.Contains(out.String(), `"id":`+id+`,`) {
				t.Fatalf("no answer to %s: %.300s", id, out.String())
			}
		}
	}
	w := &messageWriter{out: io.Discard}
	l := &lines{in: bufio.NewReader(strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"ping"}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)), out: w, wait: time.Hour}
	if _, err := io.ReadAll(l); err != nil {
		t.Error(err)
	}
}
