//go:build unix

package pty

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	creack "github.com/creack/pty"
)

func TestTheSizeIsTold(t *testing.T) {
	d, slave, err := Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	defer slave.Close()
	if rows, cols, err := creack.Getsize(slave); err != nil || cols != 80 || rows != 24 {
		t.Errorf("it begins with %dx%d, %v", cols, rows, err)
	}
	if err := d.Resize(132, 43); err != nil {
		t.Fatal(err)
	}
	if rows, cols, err := creack.Getsize(slave); err != nil || cols != 132 || rows != 43 {
		t.Errorf("it has %dx%d, %v", cols, rows, err)
	}
}

// Read ends when no process has the program's side open, and when the device is
// closed.
func TestTheEndOfTheOutput(t *testing.T) {
	d, program := rawDevice(t)
	if _, err := io.WriteString(program, "the last word"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	if n, err := d.Read(buf); err != nil || string(buf[:n]) != "the last word" {
		t.Errorf("it reads %q, %v", buf[:n], err)
	}
	if err := program.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Read(buf); !errors.Is(err, io.EOF) {
		t.Errorf("at the end it reads %q, %v", buf[:n], err)
	}
	other, _ := rawDevice(t)
	ended := make(chan error)
	go func() { _, err := other.Read(make([]byte, 64)); ended <- err }()
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a read outlives the device")
	}
}

// A Ctrl-C drops the queued paste before it that the program has not read.
func TestAnInterruptDropsWhatWaits(t *testing.T) {
	d, slave, err := Open(80, 24) // in this mode the terminal turns keys into signals
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	in := NewInput(d, 1<<20)
	var wg sync.WaitGroup
	wg.Go(in.Run)
	defer wg.Wait()
	defer d.Close()
	defer in.End()
	if err := in.Put(bytes.Repeat([]byte("a line of a paste\n"), 20<<10), time.Second); err != nil {
		t.Fatal(err)
	}
	if err := in.Put([]byte{InterruptKey}, time.Second); err != nil {
		t.Fatal(err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.queued > InputChunk+1 { // one chunk may be in a write
		t.Errorf("%d bytes still wait", in.queued)
	}
}
