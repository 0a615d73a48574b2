package main

import (
	"context"
	"errors"
)

// The limits of pictures.
const (
	// annotatedMost is an annotated picture to a plain one.
	annotatedMost = 1.2
)

// pictureBenches measure pictures.
func pictureBenches() []bench {
	return []bench{
		{rows: []string{"screenshot.viewport"}, run: viewportPicture},
		{rows: []string{"screenshot.annotated"}, run: annotatedPicture},
	}
}

// viewportPicture measures what is in view at 1280x720, over MCP, saved to a
// file.
func viewportPicture(ctx context.Context, o options) (rows []row, err error) {
	runs := 30
	if o.quick {
		runs = 8
	}
	s := newSite()
	defer s.Close()
	c, err := gather(ctx, s.URL+"/form", peerClients()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if d, ok := c.drivers[0].(*client); ok { // the peers were started at this size
		if _, _, err := d.call(ctx, toolCall{"browser_run", object{"commands": []string{"viewport 1280x720"}}}); err != nil {
			return nil, err
		}
	}
	took := samples{}
	err = c.turns(ctx, runs+1, func(ctx context.Context, d driver, i int) error {
		ms, err := d.picture(ctx, false, false)
		if err == nil && i > 0 {
			took.add(d.name(), ms)
		}
		return err
	})
	return c.noted([]row{c.only(took).row("screenshot.viewport", "ms").atMost(1)}), err
}

// annotatedPicture measures a full page with 600 refs drawn on it against the
// same page plain.
func annotatedPicture(ctx context.Context, o options) (rows []row, err error) {
	runs := 25
	if o.quick {
		runs = 5
	}
	s := newSite()
	defer s.Close()
	c, err := gather(ctx, s.URL+"/labels", ourProgram(), peerProgram())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	plain, annotated := samples{}, samples{}
	err = c.turns(ctx, runs+1, func(ctx context.Context, d driver, i int) error {
		for _, labels := range []bool{false, true} {
			ms, err := d.picture(ctx, true, labels)
			if err != nil {
				return err
			}
			if i > 0 && labels {
				annotated.add(d.name(), ms)
			} else if i > 0 {
				plain.add(d.name(), ms)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := c.only(annotated).row("screenshot.annotated", "ms")
	r.Than = "plain"
	return c.noted([]row{r.beside(percentile(plain[ours], 0.5)).atMost(annotatedMost)}), nil
}
