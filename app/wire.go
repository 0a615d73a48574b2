package main

import (
	"context"
	"errors"
)

// wire makes the real parts.
func wire(context.Context, console) (parts, error) { return parts{}, errors.New("not wired") }
