package server_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

func TestPanelIsToldEverything(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	conn := w.panel(t, token)
	if conn.Subprotocol() != protocol.Version {
		t.Errorf("the server chose %q", conn.Subprotocol())
	}
	w.fixture.events.Publish(protocol.TabsEvent{Type: protocol.PanelTabs, Tabs: []protocol.Tab{{ID: "t9"}}})
	_, data, err := conn.Read(t.Context())
	if err != nil || !strings.Contains(string(data), `"id":"t9"`) {
		t.Fatalf("%s, %v", data, err)
	}
	say(t, conn, protocol.PanelMessage{Type: protocol.PanelViewing, Tab: "t9"})
	say(t, conn, protocol.PanelMessage{Type: protocol.PanelPing, ID: 7})
	_, data, err = conn.Read(t.Context())
	if err != nil || string(data) != `{"type":"pong","id":7}` {
		t.Fatalf("%s, %v", data, err)
	}
	w.fixture.mu.Lock()
	defer w.fixture.mu.Unlock()
	if len(w.fixture.messages) != 1 || w.fixture.messages[0].Tab != "t9" || w.fixture.panels != 1 {
		t.Errorf("messages %v, %d panels", w.fixture.messages, w.fixture.panels)
	}
}

// The first hello has the token for the terminal that the panel will show:
// once, and only for this panel's session.
func TestHelloAttaches(t *testing.T) {
	w := start(t, nil)
	w.fixture.set(func(h *fixture) {
		h.state = protocol.SessionInfo{
			Tabs:      []protocol.Tab{{ID: "t1"}},
			Terminals: []protocol.TerminalInfo{{ID: "k1", Tab: "t1", State: protocol.TerminalLive}},
		}
	})
	grant, token := w.mint(auth.KindPanel)
	conn, _, err := w.upgrade(t.Context(), "/panel", token, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	_, data, err := conn.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var hello protocol.HelloEvent
	if err := json.Unmarshal(data, &hello); err != nil || hello.Attach == nil || hello.Attach.Terminal != "k1" {
		t.Fatalf("hello %s, %v", data, err)
	}
	// The task page shows no terminal, and is no panel.
	tasks, _, err := w.upgrade(t.Context(), "/panel?"+protocol.PanelTasks, token, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tasks.CloseNow() }()
	if _, data, err := tasks.Read(t.Context()); err != nil || strings.Contains(string(data), `"attach"`) || w.panelCount() != 1 {
		t.Errorf("the task page gets %s, %v; %d panels are counted", data, err, w.panelCount())
	}
	terminal, _, err := w.upgrade(t.Context(), "/ws", hello.Attach.Token, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.CloseNow() }()
	say(t, terminal, protocol.ViewerControl{Type: protocol.ControlAttach})
	if _, _, err := terminal.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.fixture.mu.Lock()
	served := w.fixture.grants[len(w.fixture.grants)-1]
	w.fixture.mu.Unlock()
	if served.Terminal != "k1" || served.Tab != "t1" || served.Parent != grant.ID || served.Session != grant.Session {
		t.Errorf("its grant is %+v", served)
	}
	if again, code, err := w.upgrade(t.Context(), "/ws", hello.Attach.Token, protocol.ExtensionOrigin); err == nil {
		_ = again.CloseNow()
		t.Errorf("a second upgrade: %d", code)
	}
}

// THREATS 15: revoking a grant closes its open socket.
func TestRevokedPanelIsClosed(t *testing.T) {
	w := start(t, nil)
	grant, token := w.mint(auth.KindPanel)
	conn := w.panel(t, token)
	w.auth.Revoke(grant.ID)
	if code := closedWith(t.Context(), conn); code != protocol.CloseUnauthorized {
		t.Errorf("closed with %d", code)
	}
}

// bubble runs f with a server in a synctest bubble: time advances when all
// goroutines wait, so deadlines are tested exactly and without delay.
func bubble(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := start(t, newMemoryListener())
		f(t, w)
		if err := w.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// drain reads a socket in the background, as a browser does, and delivers what
// it reads until the socket is closed.
func drain(ctx context.Context, conn *websocket.Conn) (messages <-chan string, closed <-chan websocket.StatusCode) {
	out, end := make(chan string, 64), make(chan websocket.StatusCode, 1)
	go func() {
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				end <- websocket.CloseStatus(err)
				return
			}
			out <- string(data)
		}
	}()
	return out, end
}

func TestRotationAsksThePanelAgain(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		grant, token := w.mint(auth.KindPanel)
		obedient, silent := w.panel(t, token), w.panel(t, token)
		heard, obedientEnd := drain(t.Context(), obedient)
		heardToo, silentEnd := drain(t.Context(), silent)
		for rotation := range 3 {
			secret, err := w.auth.Rotate(grant.ID, protocol.PanelTokenLife)
			if err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			if m := <-heard; m != `{"type":"reauth"}` {
				t.Fatalf("message %q", m)
			}
			// The old token is not enough.
			say(t, obedient, protocol.PanelMessage{Type: protocol.PanelAuth, Token: token})
			token = secret.Reveal()
			w.secret = append(w.secret, token)
			say(t, obedient, protocol.PanelMessage{Type: protocol.PanelAuth, Token: token})
			if rotation == 0 {
				if m := <-heardToo; m != `{"type":"reauth"}` {
					t.Fatalf("message %q", m)
				}
				code := <-silentEnd
				if waited := time.Since(before); code != protocol.CloseUnauthorized || waited != protocol.RotatedTokenGrace {
					t.Errorf("the silent one was closed with %d after %v", code, waited)
				}
			}
			time.Sleep(protocol.RotatedTokenGrace * 2)
		}
		say(t, obedient, protocol.PanelMessage{Type: protocol.PanelPing, ID: 1})
		select {
		case m := <-heard:
			if m != `{"type":"pong","id":1}` {
				t.Errorf("message %q", m)
			}
		case code := <-obedientEnd:
			t.Errorf("the obedient one was closed with %d", code)
		}
	})
}

// A panel that connects with the old token within its grace period is accepted,
// and asked for the new one at once.
func TestOldTokenIsAskedForTheNew(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		grant, token := w.mint(auth.KindPanel)
		if _, err := w.auth.Rotate(grant.ID, protocol.PanelTokenLife); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		conn := w.panel(t, token)
		before := time.Now()
		heard, end := drain(t.Context(), conn)
		if m := <-heard; m != `{"type":"reauth"}` {
			t.Fatalf("message %q", m)
		}
		if code := <-end; code != protocol.CloseUnauthorized || time.Since(before) != protocol.RotatedTokenGrace-4*time.Second {
			t.Errorf("closed with %d after %v", code, time.Since(before))
		}
	})
}

// Another panel's token, or a wrong one, ends the socket.
func TestWrongAuthMessageEndsTheSocket(t *testing.T) {
	w := start(t, nil)
	_, other := w.mint(auth.KindPanel)
	_, cli := w.mint(auth.KindCLI)
	for name, wrong := range map[string]string{"another panel's": other, "the shell's": cli, "none": "", "a wrong one": "x"} {
		_, token := w.mint(auth.KindPanel)
		conn := w.panel(t, token)
		say(t, conn, protocol.PanelMessage{Type: protocol.PanelAuth, Token: wrong})
		if code := closedWith(t.Context(), conn); code != protocol.CloseUnauthorized {
			t.Errorf("%s: closed with %d", name, code)
		}
	}
}

func TestExpiredPanelIsClosed(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		_, secret := w.auth.Mint(auth.KindPanel, auth.Grant{Session: "s"}, protocol.PanelTokenLife)
		before := time.Now()
		_, end := drain(t.Context(), w.panel(t, secret.Reveal()))
		if code := <-end; code != protocol.CloseUnauthorized || time.Since(before) != protocol.PanelTokenLife {
			t.Errorf("closed with %d after %v", code, time.Since(before))
		}
	})
}

// A viewer that does not read gets the whole state when it reads again, and
// publishing never waits for it.
func TestSlowPanelIsResynchronised(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		_, token := w.mint(auth.KindPanel)
		conn := w.panel(t, token)
		for i := range 10_000 {
			w.fixture.events.Publish(protocol.TabsEvent{Type: protocol.PanelTabs, Tabs: []protocol.Tab{{Index: i}}})
			if i%100 == 0 {
				synctest.Wait() // the writer is blocked by now, because the viewer does not read
			}
		}
		heard, _ := drain(t.Context(), conn)
		var events, hellos int
		for hellos == 0 {
			if strings.HasPrefix(<-heard, `{"type":"hello"`) {
				hellos++
			} else {
				events++
			}
		}
		if events > protocol.SubscriberQueue {
			t.Errorf("%d old events before the state", events)
		}
		w.fixture.events.Publish(protocol.PongEvent{Type: "last"})
		for m := range heard {
			if m == `{"type":"last","id":0}` {
				break
			}
		}
	})
}

// THREATS 18 and fault 25: a panel that does not answer pings is disconnected,
// exactly in time.
func TestDeadPanelIsLetGo(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		_, token := w.mint(auth.KindPanel)
		before := time.Now()
		_ = w.panel(t, token) // never reads again, so it sends no pongs
		for w.panelCount() > 0 {
			time.Sleep(time.Second)
		}
		if lived := time.Since(before); lived < protocol.PingInterval || lived > protocol.DeadAfter+2*protocol.SocketCloseGrace {
			t.Errorf("it lived for %v", lived)
		}
		// A panel that reads stays connected for hours: sleep and resume do not make
		// it count as dead.
		_, end := drain(t.Context(), w.panel(t, token))
		select {
		case code := <-end:
			t.Errorf("closed with %d", code)
		case <-time.After(30 * time.Minute):
		}
	})
}

func (w *world) panelCount() int {
	w.fixture.mu.Lock()
	defer w.fixture.mu.Unlock()
	return w.fixture.panels
}

// THREATS 18: headers and bodies that arrive very slowly are cut off.
func TestSlowlorisIsCutOff(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		_, token := w.mint(auth.KindCLI)
		for name, c := range map[string]struct {
			head  string
			limit time.Duration
		}{
			"header": {"GET /health HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nX-A: ", protocol.ReadHeaderTimeout},
			"body": {"POST /command HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nAuthorization: Bearer " + token +
				"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", protocol.ReadBodyTimeout},
			"nothing": {"", protocol.ReadHeaderTimeout},
		} {
			conn, err := w.dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			if _, err := conn.Write([]byte(c.head)); err != nil {
				t.Fatal(err)
			}
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				buffer := make([]byte, 1024)
				for {
					if _, err := conn.Read(buffer); err != nil {
						return
					}
				}
			}()
			for open := true; open; {
				select {
				case <-closed:
					open = false
				case <-time.After(time.Second):
					if name != "nothing" {
						_, _ = conn.Write([]byte("a")) // one byte per second, until the connection is closed
					}
				}
			}
			if lived := time.Since(before); lived < c.limit || lived > c.limit+2*time.Second {
				t.Errorf("%s: it lived for %v, want %v", name, lived, c.limit)
			}
			_ = conn.Close()
		}
		if n := w.fixture.count("command"); n != 0 {
			t.Errorf("%d commands got through", n)
		}
	})
}

// A server that stops sends close frames, waits for no client without limit,
// and leaves no goroutine (synctest and goleak fail if one is left).
func TestStopSaysGoodbye(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		t.Helper()
		_, token := w.mint(auth.KindPanel)
		_, attach := w.mint(auth.KindAttach)
		_, end := drain(t.Context(), w.panel(t, token))
		terminal, _, err := w.upgrade(t.Context(), "/ws", attach, protocol.ExtensionOrigin)
		if err != nil {
			t.Fatal(err)
		}
		_, terminalEnd := drain(t.Context(), terminal)
		_ = w.panel(t, token) // does not read any more
		silent, err := w.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if err := w.stop(); err != nil {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(before); took > protocol.ShutdownGrace+protocol.SocketCloseGrace {
			t.Errorf("it took %v", took)
		}
		if code := <-end; code != websocket.StatusGoingAway {
			t.Errorf("the panel was closed with %d", code)
		}
		if code := <-terminalEnd; code != websocket.StatusGoingAway {
			t.Errorf("the terminal was closed with %d", code)
		}
		_ = silent.Close()
		if w.panelCount() != 0 {
			t.Errorf("%d panels are still connected", w.panelCount())
		}
	})
}

// THREATS 38 and fault 23: a malformed message ends its socket, and no other.
func TestMalformedFrames(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	live := w.panel(t, token)
	for name, c := range map[string]struct {
		kind websocket.MessageType
		data []byte
		want websocket.StatusCode
	}{
		"unknown type": {websocket.MessageText, []byte(`{"type":"launch"}`), websocket.StatusProtocolError},
		"no type":      {websocket.MessageText, []byte(`{}`), websocket.StatusProtocolError},
		"not JSON":     {websocket.MessageText, []byte(`{`), websocket.StatusProtocolError},
		"empty":        {websocket.MessageText, nil, websocket.StatusProtocolError},
		"wrong shape":  {websocket.MessageText, []byte(`{"type":["ping"]}`), websocket.StatusProtocolError},
		"a false tab":  {websocket.MessageText, []byte(`{"type":"viewing","tab":"../../x"}`), websocket.StatusProtocolError},
		"binary":       {websocket.MessageBinary, []byte(`{"type":"ping"}`), websocket.StatusProtocolError},
		"too large":    {websocket.MessageText, make([]byte, protocol.MaxPanelMessage+1), websocket.StatusMessageTooBig},
		"deep":         {websocket.MessageText, []byte(strings.Repeat("[", 20000)), websocket.StatusProtocolError},
	} {
		conn := w.panel(t, token)
		if err := conn.Write(t.Context(), c.kind, c.data); err != nil {
			t.Fatal(err)
		}
		if code := closedWith(t.Context(), conn); code != c.want {
			t.Errorf("%s: closed with %d, want %d", name, code, c.want)
		}
	}
	// Raw bytes instead of frames.
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		raw := w.rawPanel(t, token)
		garbage := make([]byte, 1+random.IntN(4096))
		for i := range garbage {
			garbage[i] = byte(random.Uint32())
		}
		_, _ = raw.Write(garbage) // the server may close the connection during the write
		_ = raw.Close()
	}
	say(t, live, protocol.PanelMessage{Type: protocol.PanelPing, ID: 5})
	if kind := next(t, live); kind != protocol.PanelPong {
		t.Errorf("the other socket says %q", kind)
	}
}

// rawPanel upgrades to a panel's socket without the WebSocket library.
func (w *world) rawPanel(t *testing.T, token string) net.Conn {
	t.Helper()
	conn, err := w.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/panel", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = conn.RemoteAddr().String()
	req.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Origin": {protocol.ExtensionOrigin},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {protocol.Version + ", token." + token},
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	status := make([]byte, len("HTTP/1.1 101"))
	if _, err := conn.Read(status); err != nil || string(status) != "HTTP/1.1 101" {
		t.Fatalf("%q, %v", status, err)
	}
	return conn
}

// Fault 17: a panel that is opened and closed many times leaves nothing behind.
func TestPanelOpenedAndClosedManyTimes(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindPanel)
	for i := range 50 {
		conn := w.panel(t, token)
		if i%2 == 0 {
			_ = conn.Close(websocket.StatusNormalClosure, "")
		} else {
			_ = conn.CloseNow()
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	if n := w.panelCount(); n != 0 {
		t.Errorf("%d panels are still connected", n)
	}
}

func FuzzPanelMessages(f *testing.F) {
	for _, seed := range []string{`{"type":"ping","id":3}`, `{"type":"viewing","tab":"t1"}`, `{"type":"auth","token":"x"}`, `{"type":1}`, ``, `null`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msg, err := server.DecodePanelMessage(data)
		if err != nil {
			return
		}
		if msg.Type != protocol.PanelPing && msg.Type != protocol.PanelAuth && msg.Type != protocol.PanelViewing && msg.Type != protocol.PanelAnswer {
			t.Errorf("%q was taken as a message of type %q", data, msg.Type)
		}
		if msg.Type == protocol.PanelViewing && msg.Tab != "" {
			if tab, err := protocol.ParseTabID(string(msg.Tab)); err != nil || tab != msg.Tab {
				t.Errorf("%q named the tab %q", data, msg.Tab)
			}
		}
		if _, err := json.Marshal(msg); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	})
}
