package snapshots

import (
	"context"
	"errors"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/site"
)

// The limits of screenshots.
const (
	// annotatedMost is the largest allowed ratio of an annotated screenshot to a
	// plain one.
	annotatedMost = 1.2
)

// Screenshots measures screenshots.
func Screenshots() []report.Bench {
	return []report.Bench{
		{Rows: []string{"screenshot.viewport"}, Run: viewportScreenshot},
		{Rows: []string{"screenshot.annotated"}, Run: annotatedScreenshot},
	}
}

// viewportScreenshot measures a screenshot of the viewport at 1280x720, over MCP,
// saved to a file.
func viewportScreenshot(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	runs := 30
	if o.Quick {
		runs = 8
	}
	s := site.New()
	defer s.Close()
	c, err := peers.Gather(ctx, s.URL+"/form", peers.PeerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if d, ok := c.Drivers[0].(*peers.Client); ok { // the peers were started at this size
		if err := d.Run(ctx, "viewport 1280x720"); err != nil {
			return nil, err
		}
	}
	took := report.Samples{}
	err = c.Turns(ctx, runs+1, func(ctx context.Context, d peers.Driver, i int) error {
		ms, err := d.Screenshot(ctx, false, false)
		if err == nil && i > 0 {
			took.Add(d.Name(), ms)
		}
		return err
	})
	return c.Noted([]report.Row{c.Only(took).Row("screenshot.viewport", "ms").AtMost(1)}), err
}

// annotatedScreenshot measures a screenshot of a full page with 600 refs drawn on it
// against one of the same page without refs.
func annotatedScreenshot(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	runs := 25
	if o.Quick {
		runs = 5
	}
	s := site.New()
	defer s.Close()
	c, err := peers.Gather(ctx, s.URL+"/labels", peers.OurProgram(), peers.PeerProgram())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	plain, annotated := report.Samples{}, report.Samples{}
	err = c.Turns(ctx, runs+1, func(ctx context.Context, d peers.Driver, i int) error {
		for _, labels := range []bool{false, true} {
			ms, err := d.Screenshot(ctx, true, labels)
			if err != nil {
				return err
			}
			if i > 0 && labels {
				annotated.Add(d.Name(), ms)
			} else if i > 0 {
				plain.Add(d.Name(), ms)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := c.Only(annotated).Row("screenshot.annotated", "ms")
	r.Than = "plain"
	return c.Noted([]report.Row{r.Beside(report.Percentile(plain[report.Ours], 0.5)).AtMost(annotatedMost)}), nil
}
