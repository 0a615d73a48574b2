package report

import "testing"

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want bool
	}{
		{Row{Value: 60, Rule: ValueAtMost, Limit: 60}, true},
		{Row{Value: 61, Rule: ValueAtMost, Limit: 60}, false},
		{Row{Value: 9, Rule: ValueAtLeast, Limit: 10}, false},
		{Row{Value: 3, Rule: RatioAtMost, Limit: 1.5}.Beside(2), true},
		{Row{Value: 3.1, Rule: RatioAtMost, Limit: 1.5}.Beside(2), false},
		{Row{Value: 69, Rule: RatioAtLeast, Limit: 0.7}.Beside(100), false},
		{Row{Value: 69, Rule: RatioAtLeast, Limit: 0.7}, false},
		{Row{Value: 1, Rule: Informs}, true},
		{Row{Value: 10}.Peer("slower", 11).AtMost(1), true},
		{Row{Value: 10}.Peer("slower", 11).Peer("faster", 9).AtMost(1), false},
		{Row{Value: 10, Rule: Informs}.AtMost(1), true},
		{Row{Value: 1}, false},
	} {
		if got := c.row.Judged().OK; got != c.want {
			t.Errorf("%+v: %v", c.row, got)
		}
	}
}

func TestTheBestPeerIsTheReference(t *testing.T) {
	s := Samples{Ours: {3, 1, 2}, "a": {9}, "b": {4, 4, 8}}
	r := s.Row("x", "ms").Judged()
	if r.Value != 2 || *r.P99 != 3 || r.Than != "b" || *r.Reference != 4 || *r.Ratio != 0.5 || len(r.Peers) != 2 || !r.OK {
		t.Errorf("%+v", r)
	}
	if r = r.Against("a"); r.Than != "a" || *r.Reference != 9 {
		t.Errorf("%+v", r)
	}
	if r = r.Against("nobody"); r.Than != "a" {
		t.Errorf("%+v", r)
	}
}
