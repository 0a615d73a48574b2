package pairing

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// The app listens on port.
const port = 4000

// shows returns the request of a panel that shows a code and believes that the app is on a port.
func shows(code string, at int, nonce string) protocol.PairRequest {
	nonce = strings.Repeat(nonce, 16)
	return protocol.PairRequest{Nonce: nonce, MAC: hex.EncodeToString(mac(normal(code), protocol.PairPanel, strconv.Itoa(at), nonce))}
}

// answer is what a panel got.
type answer struct {
	reply protocol.PairReply
	err   error
}

// waits lets a panel wait, and returns when it does.
func waits(ctx context.Context, o *Offers, req protocol.PairRequest) <-chan answer {
	got := make(chan answer, 1)
	go func() {
		reply, err := o.Offer(ctx, port, req)
		got <- answer{reply, err}
	}()
	synctest.Wait()
	return got
}

func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}

func given() protocol.Pairing {
	return protocol.Pairing{Session: "mine", Port: port, Token: "token", Key: "key", ByHand: true}
}

func never(t *testing.T) func() protocol.Pairing {
	t.Helper()
	return func() protocol.Pairing {
		t.Error("a session was given away")
		return protocol.Pairing{}
	}
}

// The panel gets the session, once, with a proof that the app knows the code.
func TestACodePairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes atomic.Int64
		o := New(func() { changes.Add(1) })
		got := waits(t.Context(), o, shows("K7QF-2M9X-TD4A", port, "ab"))
		other := waits(t.Context(), o, shows("ABCD-EFGH-JKLM", port, "cd"))
		if o.Waiting() != 2 || changes.Load() != 2 {
			t.Errorf("%d wait, after %d changes", o.Waiting(), changes.Load())
		}
		if err := o.Enter(" k7qf 2m9xtd4a ", given); err != nil { // as a user may write it
			t.Fatal(err)
		}
		a := <-got
		proof := hex.EncodeToString(mac("K7QF2M9XTD4A", protocol.PairApp, strconv.Itoa(port), strings.Repeat("ab", 16), "token", "key"))
		if a.err != nil || a.reply.Pairing != given() || a.reply.MAC != proof {
			t.Errorf("%+v", a)
		}
		if err := o.Enter("K7QF-2M9X-TD4A", never(t)); code(err) != protocol.CodeBadArgument {
			t.Errorf("the code counts twice: %v", err)
		}
		synctest.Wait()
		if o.Waiting() != 1 {
			t.Errorf("%d wait", o.Waiting())
		}
		if err := o.Enter("ABCD-EFGH-JKLM", given); err != nil || (<-other).err != nil {
			t.Errorf("the other panel: %v", err)
		}
	})
}

// What a panel sends to a program on another port is of no use at the app, and neither is a
// guess or an empty code.
func TestWhatDoesNotPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		o := New(func() {})
		over := errors.New("the panel was closed")
		relayed := waits(ctx, o, shows("K7QF-2M9X-TD4A", port+1, "ab"))
		for _, wrong := range []string{"K7QF-2M9X-TD4A", "K7QF-2M9X-TD4B", ""} {
			if err := o.Enter(wrong, never(t)); code(err) != protocol.CodeBadArgument {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		cancel(over)
		if a := <-relayed; !errors.Is(a.err, over) || o.Waiting() != 0 {
			t.Errorf("%+v, %d wait", a, o.Waiting())
		}
		for _, bad := range []protocol.PairRequest{{}, {Nonce: "ab", MAC: strings.Repeat("ab", 32)}, {Nonce: strings.Repeat("xy", 16), MAC: strings.Repeat("ab", 32)}} {
			if _, err := o.Offer(t.Context(), port, bad); code(err) != protocol.CodeBadArgument {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

// A code that nobody enters is too old after a while.
func TestACodeExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(func() {})
		got := waits(t.Context(), o, shows("K7QF-2M9X-TD4A", port, "ab"))
		time.Sleep(life)
		if a := <-got; code(a.err) != protocol.CodeTimeout {
			t.Errorf("%+v", a)
		}
		if err := o.Enter("K7QF-2M9X-TD4A", never(t)); code(err) != protocol.CodeBadArgument {
			t.Errorf("%v", err)
		}
	})
}

// Few panels wait at once, so that few guesses meet a code; and after some wrong codes each
// panel shows another one.
func TestTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(func() {})
		first := waits(t.Context(), o, shows("K7QF-2M9X-TD4A", port, "ab"))
		var guesses []<-chan answer
		for range maxWaiting {
			guesses = append(guesses, waits(t.Context(), o, shows("ABCD-EFGH-JKLM", port, "cd")))
		}
		if a := <-first; code(a.err) != protocol.CodeBusy || o.Waiting() != maxWaiting {
			t.Errorf("%+v, %d wait", a, o.Waiting())
		}
		for range maxWrong - 1 {
			if err := o.Enter("WRNG-WRNG-WRNG", never(t)); code(err) != protocol.CodeBadArgument {
				t.Errorf("%v", err)
			}
		}
		if err := o.Enter("WRNG-WRNG-WRNG", never(t)); code(err) != protocol.CodeRefused || o.Waiting() != 0 {
			t.Errorf("%v, %d wait", err, o.Waiting())
		}
		for _, guess := range guesses {
			if a := <-guess; code(a.err) != protocol.CodeBusy {
				t.Errorf("%+v", a)
			}
		}
	})
}

// A program that has learned the code of the panel gets nothing, and neither does the panel.
func TestTwoKnowTheCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(func() {})
		panel := waits(t.Context(), o, shows("K7QF-2M9X-TD4A", port, "ab"))
		thief := waits(t.Context(), o, shows("K7QF-2M9X-TD4A", port, "cd"))
		if err := o.Enter("K7QF-2M9X-TD4A", never(t)); code(err) != protocol.CodeRefused {
			t.Errorf("%v", err)
		}
		for _, got := range []<-chan answer{panel, thief} {
			if a := <-got; code(a.err) != protocol.CodeBusy {
				t.Errorf("%+v", a)
			}
		}
	})
}
