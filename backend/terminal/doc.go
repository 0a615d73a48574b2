// Package terminal runs programs in pseudo terminals and connects viewers to them by
// WebSocket.
//
// A terminal outlives its viewers. Its output is a stream of bytes with offsets. The
// terminal keeps the newest output, so that a viewer that reconnects continues at the
// byte where it stopped. A viewer without any state receives the last checkpoint that
// an earlier viewer sent, or else the emulator's modes at an offset where the stream
// may be cut. Package vt implements this stream. Package pty implements the device
// and the input queue.
//
// Each process has a reader and a writer goroutine; each viewer has a pump and a
// goroutine that reads its socket. While the viewer is up to date, the reader writes
// output directly to the socket; when it is not, the pump sends output from the ring.
// A flag under the terminal's lock decides which of the two may write. The reader
// stops while a viewer has protocol.AckWindow undrawn bytes. This makes the program
// block on its output; nothing else waits for it.
package terminal
