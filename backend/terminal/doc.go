//go:build unix

// Package terminal runs programs in pseudo terminals and connects viewers to
// them by WebSocket.
//
// A terminal outlives its viewers. Its output is a stream of bytes with
// offsets; the newest of it is kept, so that a viewer that comes back goes on
// at the byte where it stopped. A viewer with nothing is given the screen that
// the viewer before it had handed over, or else the modes of the emulator at a
// place where the stream may be cut. The package vt has that stream, pty the device
// and the input that waits.
//
// Per process there are a reader and a writer goroutine, per viewer a pump and
// the socket's reader. Output goes from the reader straight into the socket
// while the viewer is up to date and from the ring by the pump when it is not;
// which of the two may write is one flag under the terminal's lock. The reader
// stops while a viewer has not drawn protocol.AckWindow bytes, which stops the
// program, and nothing else waits for that.
package terminal
