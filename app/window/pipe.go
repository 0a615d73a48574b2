package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"pilotfish/backend/protocol"
)

// pipe is the way to the app and back.
type pipe struct {
	mu  sync.Mutex
	out io.Writer
	// asked are the calls that wait for their answer.
	asked map[uint64]chan<- protocol.WindowOrder
	last  uint64
}

func newPipe(out io.Writer) *pipe {
	return &pipe{out: out, asked: map[uint64]chan<- protocol.WindowOrder{}}
}

// report writes a line. It begins with the end of one, because a library of the
// window may have written to standard output what it did not end.
func (p *pipe) report(r protocol.WindowReport) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a report: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.out, "\n%s\n", line); err != nil {
		return fmt.Errorf("telling the app: %w", err)
	}
	return nil
}

// call asks the app for a method and waits for its answer.
func (p *pipe) call(method string, args []json.RawMessage) (json.RawMessage, error) {
	answer := make(chan protocol.WindowOrder, 1)
	p.mu.Lock()
	p.last++
	number := p.last
	p.asked[number] = answer
	p.mu.Unlock()
	err := p.report(protocol.WindowReport{Report: protocol.ReportCall, Call: number, Method: method, Args: args})
	if err != nil {
		return nil, err // the app is gone; so is this program, in a moment
	}
	so := <-answer
	if so.Failed != "" {
		return nil, errors.New(so.Failed)
	}
	return so.Data, nil
}

// answered hands an answer to the call that waits for it.
func (p *pipe) answered(order protocol.WindowOrder) {
	p.mu.Lock()
	answer := p.asked[order.Call]
	delete(p.asked, order.Call)
	p.mu.Unlock()
	if answer != nil {
		answer <- order
	}
}

// obey does what the app orders until its orders end.
func obey(in io.Reader, do func(protocol.WindowOrder)) error {
	for orders := json.NewDecoder(in); ; {
		var order protocol.WindowOrder
		if err := orders.Decode(&order); err != nil {
			return err
		}
		do(order)
	}
}
