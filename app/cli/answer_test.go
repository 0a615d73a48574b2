package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"pilotfish/app/cli/client"
	"pilotfish/backend/protocol"
)

// answering is an app that reads a request on each connection, answers with given
// bytes, and closes the connection. It returns its address and a function for the
// last request.
func answering(t *testing.T, next func() []byte) (url string, request func() string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	last := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed
			}
			var read []byte
			for buffer := make([]byte, 4096); !bytes.Contains(read, []byte("\r\n\r\n{")); {
				n, err := conn.Read(buffer)
				if err != nil {
					break
				}
				read = append(read, buffer[:n]...)
			}
			select {
			case <-last:
			default:
			}
			last <- string(read)
			_, _ = conn.Write(next()) // the caller may have closed the connection
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return "http://" + l.Addr().String(), func() string { return <-last }
}

// runAt runs the program as an agent does, with the app at an address.
func runAt(url string, args ...string) (stdout, stderr string, code int) {
	var out, said bytes.Buffer
	environment := map[string]string{protocol.EnvURL: url, protocol.EnvToken: "secret", client.EnvNoAutostart: "1"}
	p := &program{stdout: &out, stderr: &said, getenv: func(name string) string { return environment[name] }}
	code = p.run(args)
	return out.String(), said.String(), code
}

// Whatever the app answers, complete or truncated, the program reports the
// outcome of the command, and sends the command once.
func TestAnswers(t *testing.T) {
	const events = "HTTP/1.0 200 OK\r\nDate: today\r\nContent-Type: text/event-stream\r\n\r\n"
	ok := func(text string) string {
		return events + "event: reply\ndata: {\"ok\":true,\"text\":" + text + ",\"durationMs\":1.5}\n\n"
	}
	for name, c := range map[string]struct {
		answer, out, err string
		code             protocol.Code
	}{
		"a reply":           {answer: ok(`"clicked"`), out: "clicked\n"},
		"with its line end": {answer: ok(`"clicked\n"`), out: "clicked\n"},
		"no text":           {answer: ok(`""`), out: ""},
		"text of all kinds": {answer: ok(`"\"a\\b\/\u003c\u00e9\u20ac\ud83d\ude00é😀\t[{}]"`), out: "\"a\\b/<é€😀é😀\t[{}]\n"},
		"half a character":  {answer: ok(`"a\ud83d"`), out: "a\ufffd\n"},
		"more in it":        {answer: events + `event: reply` + "\n" + `data: {"tab":"t1","data":{"text":"no","x":["}",1e5,null,{"ok":false}]},"ok":true,"text":"yes"}` + "\n\n", out: "yes\n"},
		"a question first":  {answer: events + ": alive\n\nevent: waiting\ndata: {\"command\":\"click\",\"sentence\":\"Claude in Chat wants to click something on https://a.test\"}\n\nevent: reply\ndata: {\"ok\":true,\"text\":\"clicked\"}\n\n", out: "clicked\n", err: "wants to click something on https://a.test"},
		"an old app":        {answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"ok\":true,\n\"text\":\"clicked\"}", out: "clicked\n"},
		"a failure":         {answer: events + "event: reply\ndata: {\"ok\":false,\"text\":\"\",\"error\":{\"code\":\"covered\",\"message\":\"e1 is covered\"}}\n\n", code: protocol.CodeCovered, err: "e1 is covered"},
		"no reason":         {answer: events + "event: reply\ndata: {\"ok\":false}\n\n", code: protocol.CodeInternal, err: "without saying why"},
		"with a hint":       {answer: events + "event: reply\ndata: {\"ok\":false,\"text\":\"the same\",\"error\":{\"code\":\"gone\",\"message\":\"e1 \\\"Save\\\" is gone\",\"hint\":\"look again\"}}\n\n", code: protocol.CodeGone, err: "pilotfish: e1 \"Save\" is gone\n  look again\n"},
		"with a command":    {answer: events + "event: reply\ndata: {\"ok\":false,\"text\":\"e1 is gone\",\"error\":{\"code\":\"gone\",\"message\":\"e1 is gone\",\"next\":[{\"command\":\"snapshot\",\"args\":[\"-i\"],\"does\":\"looks again\"}]}}\n\n", code: protocol.CodeGone, err: "pilotfish: e1 is gone\n  `pilotfish snapshot -i` looks again\n"},
		"a fault of ours":   {answer: events + "event: reply\ndata: {\"ok\":false,\"text\":\"\",\"error\":{\"code\":\"timeout\",\"message\":\"it took too long\"}}\n\n", code: protocol.CodeTimeout, err: "it took too long"},
		"done in part":      {answer: events + "event: reply\ndata: {\"ok\":false,\"text\":\"one was done\",\"data\":[1],\"error\":{\"code\":\"covered\",\"message\":\"e1 is covered\"}}\n\n", code: protocol.CodeCovered, out: "one was done\n", err: "e1 is covered"},
		"refused":           {answer: "HTTP/1.0 401 Unauthorized\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"code\":\"unauthorized\",\"message\":\"a token is needed\"}}", code: protocol.CodeUnauthorized, err: "a token is needed"},
		"another server":    {answer: "HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>", code: protocol.CodeInternal, err: "404"},
		"no HTTP":           {answer: "SSH-2.0-x\r\n", code: protocol.CodeNotRunning, err: "does not answer"},
		"nothing":           {code: protocol.CodeNotRunning, err: "does not answer"},
		"an early end":      {answer: events + ": alive\n\n", code: protocol.CodeNotRunning, err: "has ended"},
		"half a reply":      {answer: events + "event: reply\ndata: {\"ok\":tr", code: protocol.CodeInternal, err: "cannot be read"},
		"a long text":       {answer: ok(`"` + strings.Repeat("line\\n", 100_000) + `"`), out: strings.Repeat("line\n", 100_000)},
	} {
		t.Run(name, func(t *testing.T) {
			url, request := answering(t, func() []byte { return []byte(c.answer) })
			out, said, code := runAt(url, "fill", "e3", "a \"b\" ü")
			if want := c.code.ExitCode(); c.code == "" && code != 0 || c.code != "" && code != want || out != c.out || !strings.Contains(said, c.err) || c.err == "" && said != "" {
				t.Errorf("%d, %.200q, %.400q", code, out, said)
			}
			const body = `{"command":"fill","args":{"target":"e3","value":"a \"b\" ü"}}`
			want := fmt.Sprintf("POST /command HTTP/1.0\r\nHost: %s\r\nContent-Length: %d\r\nAccept: text/event-stream, application/json\r\n"+
				"Authorization: Bearer secret\r\nContent-Type: application/json\r\n\r\n%s", strings.TrimPrefix(url, "http://"), len(body), body)
			if got := request(); got != want {
				t.Errorf("%q", got)
			}
		})
	}
}

// A reply that is damaged at any place ends the command, with or without an
// error.
func TestDamagedAnswers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 7))
	whole := []byte("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: reply\ndata: {\"ok\":true,\"text\":\"a\\n\\u00e9\\ud83d\\ude00\",\"data\":{\"x\":[1,\"}\\\"\",null]}}\n\n")
	damaged := make(chan []byte, 1)
	url, _ := answering(t, func() []byte { return <-damaged })
	for range 150 {
		reply := bytes.Clone(whole)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(reply))
			switch random.IntN(4) {
			case 0:
				reply[at] = "\"\\{}[],:\n u0"[random.IntN(12)]
			case 1:
				reply[at] = byte(random.IntN(256))
			case 2:
				reply = append(reply[:at:at], reply[min(len(reply), at+1+random.IntN(9)):]...)
			case 3:
				reply = reply[:max(1, at)]
			}
		}
		damaged <- reply
		if _, said, code := runAt(url, "url"); code != 0 && said == "" {
			t.Fatalf("%q: %d without a word", reply, code)
		}
	}
}
