package main

import (
	"testing"

	"pilotfish/app/bench/peers"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		row  row
		want bool
	}{
		{row{Value: 60, Rule: valueAtMost, Limit: 60}, true},
		{row{Value: 61, Rule: valueAtMost, Limit: 60}, false},
		{row{Value: 3, Rule: ratioAtMost, Limit: 1.5}.beside("x", 2), true},
		{row{Value: 3.1, Rule: ratioAtMost, Limit: 1.5}.beside("x", 2), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}.beside("x", 100), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}, false},
		{row{Value: 1, Rule: noLimit}, true},
		{row{Value: 10}.peer("slower", 11).atMost(1), true},
		{row{Value: 10}.peer("slower", 11).peer("faster", 9).atMost(1), false},
		{row{Value: 10, Rule: noLimit}.atMost(1), true},
		{row{Value: 1}, false},
	} {
		if got := c.row.judged().OK; got != c.want {
			t.Errorf("%+v: %v", c.row, got)
		}
	}
}

func TestTheBestPeerIsTheReference(t *testing.T) {
	r := compared("x", peers.Samples{peers.Ours: {3, 1, 2}, "a": {9}, "b": {4, 4, 8}}).judged()
	if r.Value != 2 || *r.P99 != 3 || r.Than != "b" || *r.Reference != 4 || *r.Ratio != 0.5 || len(r.Peers) != 2 || !r.OK {
		t.Errorf("%+v", r)
	}
	if r = r.against("a"); r.Than != "a" || *r.Reference != 9 {
		t.Errorf("%+v", r)
	}
	if r = r.against("nobody"); r.Than != "a" {
		t.Errorf("%+v", r)
	}
}
