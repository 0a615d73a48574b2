// Package pairing gives the pairing of a session to a panel that has no other way to it: the
// user installed the extension by hand, and there is no pipe to its browser. The panel makes a
// code and shows it; the user enters it in the app. Neither side sends it: each proves with
// it that it knows it. See docs/adr/269.
package pairing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

const (
	// maxWaiting is how many panels may wait at once; one more replaces the oldest. Each may
	// have guessed a code, so this is also how many guesses meet one code of the user.
	maxWaiting = 4
	// maxWrong is after how many wrong codes every panel has to show another one.
	maxWrong = 5
	// life is how long a code may wait for the user. The panel shows another one then.
	life = 5 * time.Minute
)

// Offers are the panels that wait until the user enters their codes. Its methods are safe for
// concurrent use; the zero value is not ready for use.
type Offers struct {
	changed func()

	mu      sync.Mutex
	waiting []*offer // oldest first
	wrong   int      // codes in a row that no panel shows
}

// offer is one panel that waits.
type offer struct {
	req   protocol.PairRequest
	port  int
	reply chan protocol.PairReply // has room for one
	gone  chan struct{}           // closed when the offer no longer counts
}

// New returns Offers of no panel. changed is called when a panel begins or ends to wait.
func New(changed func()) *Offers { return &Offers{changed: changed} }

// Waiting returns how many panels wait for their codes.
func (o *Offers) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting)
}

// Offer waits until the user enters the code of a panel that has reached the app on port, and
// returns the pairing. It returns CodeTimeout when the code is too old, and CodeBusy when
// other panels have taken its place or wrong codes were entered: then the panel makes another code.
func (o *Offers) Offer(ctx context.Context, port int, req protocol.PairRequest) (protocol.PairReply, error) {
	if !isHex(req.Nonce, 16) || !isHex(req.MAC, sha256.Size) {
		return protocol.PairReply{}, protocol.NewError(protocol.CodeBadArgument, "a nonce has 16 bytes in hex, and a MAC 32", "")
	}
	one := &offer{req: req, port: port, reply: make(chan protocol.PairReply, 1), gone: make(chan struct{})}
	o.mu.Lock()
	if len(o.waiting) == maxWaiting {
		o.drop(o.waiting[0])
	}
	o.waiting = append(o.waiting, one)
	o.mu.Unlock()
	o.changed()
	defer o.changed()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.drop(one)
	}()
	late := time.NewTimer(life)
	defer late.Stop()
	select {
	case reply := <-one.reply:
		return reply, nil
	case <-one.gone:
		select {
		case reply := <-one.reply:
			return reply, nil
		default:
			return protocol.PairReply{}, protocol.NewError(protocol.CodeBusy, "the code no longer counts", "")
		}
	case <-late.C:
		return protocol.PairReply{}, protocol.NewError(protocol.CodeTimeout, "the code is too old", "")
	case <-ctx.Done():
		return protocol.PairReply{}, context.Cause(ctx)
	}
}

// drop ends that an offer counts. The caller holds mu.
func (o *Offers) drop(one *offer) {
	if i := slices.Index(o.waiting, one); i >= 0 {
		o.waiting = slices.Delete(o.waiting, i, i+1)
		close(one.gone)
	}
}

// Enter gives what pair returns to the panel that shows a code. The code counts once. It
// returns CodeBadArgument for a code that no panel shows, and CodeRefused when several do:
// then one of them has learned the code of the other.
func (o *Offers) Enter(code string, pair func() protocol.Pairing) error {
	key := normal(code)
	o.mu.Lock()
	defer o.mu.Unlock()
	var shows []*offer
	for _, one := range o.waiting {
		given, _ := hex.DecodeString(one.req.MAC) // it was checked
		if hmac.Equal(given, mac(key, protocol.PairPanel, strconv.Itoa(one.port), one.req.Nonce)) {
			shows = append(shows, one)
		}
	}
	const again = "enter the code that the panel shows now"
	switch len(shows) {
	case 1:
	case 0:
		if o.wrong++; o.wrong < maxWrong {
			return protocol.NewError(protocol.CodeBadArgument, "no panel shows this code", again)
		}
		o.dropAll()
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%d wrong codes were entered, so every panel shows another one", maxWrong), again)
	default:
		o.dropAll()
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%d programs know this code, so none got the session", len(shows)), again)
	}
	o.wrong = 0
	one, pairing := shows[0], pair()
	proof := mac(key, protocol.PairApp, strconv.Itoa(one.port), one.req.Nonce, pairing.Token, pairing.Key)
	one.reply <- protocol.PairReply{Pairing: pairing, MAC: hex.EncodeToString(proof)}
	o.drop(one)
	return nil
}

// dropAll ends every offer. The caller holds mu.
func (o *Offers) dropAll() {
	for len(o.waiting) > 0 {
		o.drop(o.waiting[0])
	}
	o.wrong = 0
}

// normal returns a code as the panel made it, however the user wrote it.
func normal(code string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToUpper(code))
}

// mac proves the knowledge of a code. Its parts have no line breaks.
func mac(code string, parts ...string) []byte {
	h := hmac.New(sha256.New, []byte(code))
	h.Write([]byte(strings.Join(parts, "\n")))
	return h.Sum(nil)
}

func isHex(text string, size int) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == size
}
