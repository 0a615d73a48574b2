//go:build !linux

package doctor

import "context"

// userNamespace does nothing: only Linux has user namespaces.
func userNamespace(context.Context) error { return nil }
