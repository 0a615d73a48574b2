package catalogue

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

func TestParseHeaders(t *testing.T) {
	for _, c := range []struct {
		list []string
		want map[string]string
	}{
		{[]string{"X-A: 1", "X-B:two: three"}, map[string]string{"X-A": "1", "X-B": "two: three"}},
		{[]string{"X-A:"}, map[string]string{"X-A": ""}},
		{[]string{`{"X-A": "1"}`}, map[string]string{"X-A": "1"}},
	} {
		if got, err := parseHeaders(c.list); err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%q: %v, %v", c.list, got, err)
		}
	}
	for _, list := range [][]string{{"X-A"}, {": 1"}, {"Host: a"}, {"cookie: a"}, {"X A: 1"}, {`{"X-A": "1\r\nX-B: 2"}`}, {`{"X-A": 1}`}} {
		if got, err := parseHeaders(list); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}

// believing is a fake browser that stores the emulated settings of its tab.
type believing struct {
	Browser
	now protocol.Emulation
}

func (b *believing) Emulate(_ context.Context, _ protocol.Caller, _ protocol.TabID, change func(*protocol.Emulation)) (protocol.Emulation, error) {
	change(&b.now)
	return b.now, nil
}

func TestThrottle(t *testing.T) {
	b := &believing{}
	c := &commands{Config{Browser: b}}
	in := &command.Invocation{Tab: "t1"}
	for _, name := range slices.Sorted(maps.Keys(networkConditions())) {
		if _, err := c.throttle(t.Context(), in, name); err != nil || b.now.Network == nil || b.now.Network.Name != name {
			t.Errorf("%s: %+v, %v", name, b.now.Network, err)
		}
	}
	if res, err := c.throttle(t.Context(), in, "off"); err != nil || b.now.Network != nil || res.Text != "t1 is as the browser has it" {
		t.Errorf("off: %+v, %v", res, err)
	}
	if _, err := c.throttle(t.Context(), in, "5g"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("5g: %v", err)
	}
}

func TestGeolocation(t *testing.T) {
	at := func(text string) (*protocol.EmulatedGeolocation, error) {
		return geolocation(&command.Invocation{Args: command.Values{"geolocation": text}})
	}
	if p, err := at("52.52, 13.4,5"); err != nil || *p != (protocol.EmulatedGeolocation{Latitude: 52.52, Longitude: 13.4, Accuracy: 5}) {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := at("off"); p != nil || err != nil {
		t.Errorf("off: %+v, %v", p, err)
	}
	for _, text := range []string{"91,0", "0,181", "1", "a,b", "1,2,3,4", "NaN,0", "1,2,-1"} {
		if p, err := at(text); err == nil {
			t.Errorf("%s is %+v", text, p)
		}
	}
}

// A viewport that the browser's drawing process could not take is refused.
func TestLargestViewport(t *testing.T) {
	c := &commands{Config{Browser: &believing{}}}
	for size, fits := range map[string]bool{"8000x8000 1": true, "9000x9000 1": false, "4000x4000 2": true, "3000x3000 5": false, "10000x6700 1": true} {
		at, scale, _ := strings.Cut(size, " ")
		_, err := c.runViewport(t.Context(), &command.Invocation{Tab: "t1", Args: command.Values{"size": at, "scale": scale}})
		if (err == nil) != fits {
			t.Errorf("%s: %v", size, err)
		}
	}
}
