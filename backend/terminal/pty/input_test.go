//go:build unix

package pty

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// rawDevice returns a pseudo terminal in raw mode, and its other side.
func rawDevice(t *testing.T) (*Device, io.ReadWriter) {
	t.Helper()
	d, slave, err := Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.Close()
		_ = slave.Close()
	})
	raw := exec.CommandContext(t.Context(), "stty", "raw", "-echo")
	raw.Stdin = slave
	if err := raw.Run(); err != nil {
		t.Fatal(err)
	}
	return d, slave
}

func TestInputForAProgramThatDoesNotReadIsBounded(t *testing.T) {
	d, program := rawDevice(t)
	in := NewInput(d, 1<<20)
	var wg sync.WaitGroup
	wg.Go(in.Run)
	piece := bytes.Repeat([]byte("0123456789abcdef"), 1<<10)
	sent := 0
	var err error
	for err == nil {
		if sent > 2<<20 {
			t.Fatal("there is no bound")
		}
		if err = in.Put(piece, time.Millisecond); err == nil {
			sent += len(piece)
		}
	}
	if !errors.Is(err, ErrFull) || sent < 1<<20 {
		t.Fatalf("after %d bytes: %v", sent, err)
	}
	// When the program reads again, all input arrives, in order.
	got := make([]byte, sent)
	if _, err := io.ReadFull(program, got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.Repeat(piece, sent/len(piece))) {
		t.Error("the input changed")
	}
	if err := in.Put([]byte("x"), time.Millisecond); err != nil {
		t.Error(err)
	}
	in.End()
	wg.Wait()
	if err := in.Put([]byte("for nobody"), time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestInputEndsWhileItsWriteWaits(t *testing.T) {
	d, _ := rawDevice(t)
	in := NewInput(d, 1<<20)
	var wg sync.WaitGroup
	wg.Go(in.Run)
	if err := in.Put(make([]byte, 1<<19), time.Second); err != nil {
		t.Fatal(err)
	}
	in.End()
	_ = d.Close()
	wg.Wait()
}
