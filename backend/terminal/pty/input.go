package pty

import (
	"errors"
	"sync"
	"time"
)

// ErrFull is returned when the program has not read its input for too long.
var ErrFull = errors.New("the program does not read its input")

// InputChunk is the size in bytes of one chunk of queued input.
const InputChunk = 32 << 10

// InterruptKey is the byte that Ctrl-C sends.
const InterruptKey = 0x03

// Input queues keys and pastes for the program. A write to a pseudo terminal blocks
// while the program does not read. The messages that follow on the viewer's socket,
// above all the acknowledgements, must not wait for that. Its methods are safe for
// concurrent use.
type Input struct {
	device *Device
	limit  int

	mu      sync.Mutex
	fill    sync.Cond // signals that there is something to write, or the end
	room    sync.Cond // signals that there is room again, or the end
	chunks  [][]byte
	queued  int
	writing bool // Run has taken bytes that are not written yet
	closed  bool
}

// NewInput returns the input queue of a device, which holds at most limit bytes.
func NewInput(d *Device, limit int) *Input {
	in := &Input{device: d, limit: limit}
	in.fill.L, in.room.L = &in.mu, &in.mu
	return in
}

// Put queues p. While the queue is full it waits, at most for patience, and then
// returns ErrFull. Input for a program that has ended is dropped. An InterruptKey
// drops the input queued before it, where that key is a signal.
func (in *Input) Put(p []byte, patience time.Duration) error {
	if len(p) == 1 && p[0] == InterruptKey {
		in.interrupt()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return nil
	}
	if in.queued == 0 && !in.writing {
		// The usual case, a single key, needs no other goroutine.
		n, err := in.device.tryWrite(p)
		if err != nil {
			in.close()
			return nil
		}
		p = p[n:]
	}
	if err := in.awaitRoom(len(p), patience); err != nil {
		return err
	}
	for len(p) > 0 && !in.closed {
		if n := len(in.chunks); n == 0 || len(in.chunks[n-1]) == cap(in.chunks[n-1]) {
			in.chunks = append(in.chunks, make([]byte, 0, InputChunk))
		}
		last := &in.chunks[len(in.chunks)-1]
		n := min(len(p), cap(*last)-len(*last))
		*last = append(*last, p[:n]...)
		in.queued += n
		p = p[n:]
		in.fill.Signal()
	}
	return nil
}

// interrupt keeps a Ctrl-C from waiting behind a paste that the program does not
// read: like the terminal itself, it drops the input before it.
func (in *Input) interrupt() {
	if in.device.interrupts() && in.clear() > 0 {
		_ = in.device.sendInterrupt() // on failure, the key itself follows in the input
	}
}

func (in *Input) awaitRoom(n int, patience time.Duration) error {
	if in.queued+n <= in.limit {
		return nil
	}
	late := false
	timer := time.AfterFunc(patience, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		late = true
		in.room.Broadcast()
	})
	defer timer.Stop()
	for in.queued+n > in.limit && !in.closed {
		if late {
			return ErrFull
		}
		in.room.Wait()
	}
	return nil
}

// Run writes queued input until End.
func (in *Input) Run() {
	for {
		in.mu.Lock()
		for len(in.chunks) == 0 && !in.closed {
			in.fill.Wait()
		}
		if in.closed {
			in.mu.Unlock()
			return
		}
		chunk := in.chunks[0]
		in.chunks[0] = nil
		in.chunks = in.chunks[1:]
		in.writing = true
		in.mu.Unlock()

		_, err := in.device.Write(chunk)

		in.mu.Lock()
		in.writing = false
		in.queued -= len(chunk)
		if err != nil {
			in.close()
		}
		in.room.Broadcast()
		in.mu.Unlock()
	}
}

// clear drops the queued input and returns how many bytes it was.
func (in *Input) clear() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := 0
	for _, c := range in.chunks {
		n += len(c)
	}
	in.chunks = nil
	in.queued -= n
	in.room.Broadcast()
	return n
}

// End drops the queued input and makes Run return after its current write.
func (in *Input) End() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.close()
}

// close needs mu.
func (in *Input) close() {
	in.closed = true
	in.chunks, in.queued = nil, 0
	in.fill.Broadcast()
	in.room.Broadcast()
}
