//go:build !linux

package attempts

import "context"

// ways are none: this system has no ways yet.
func ways() []way { return nil }

// Lay returns w: nothing is tried on this system.
func Lay(_ context.Context, w World) (World, func(), error) { return w, func() {}, nil }
