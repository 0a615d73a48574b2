package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"pilotfish/backend/protocol"
)

// pipe is the connection to the app: it writes reports and matches answers to
// calls.
type pipe struct {
	mu  sync.Mutex
	out io.Writer
	// asked are the calls that wait for an answer, by number.
	asked map[uint64]chan<- protocol.WindowOrder
	last  uint64
}

func newPipe(out io.Writer) *pipe {
	return &pipe{out: out, asked: map[uint64]chan<- protocol.WindowOrder{}}
}

// report writes a report as one line. It writes a line end first, because a
// library may have written an unfinished line to standard output.
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

// call calls an operation of the app and waits for its answer.
func (p *pipe) call(asked protocol.WindowReport) (json.RawMessage, error) {
	answer := make(chan protocol.WindowOrder, 1)
	p.mu.Lock()
	p.last++
	number := p.last
	p.asked[number] = answer
	p.mu.Unlock()
	asked.Report, asked.Call = protocol.ReportCall, number
	if err := p.report(asked); err != nil {
		return nil, err // the app is gone, and this program ends in a moment
	}
	so := <-answer
	if so.Failed != "" {
		return nil, errors.New(so.Failed)
	}
	return so.Data, nil
}

// answered delivers an answer to the call that waits for it.
func (p *pipe) answered(order protocol.WindowOrder) {
	p.mu.Lock()
	answer := p.asked[order.Call]
	delete(p.asked, order.Call)
	p.mu.Unlock()
	if answer != nil {
		answer <- order
	}
}

// obey carries out the app's orders until its input ends.
func obey(in io.Reader, do func(protocol.WindowOrder)) error {
	for orders := json.NewDecoder(in); ; {
		var order protocol.WindowOrder
		if err := orders.Decode(&order); err != nil {
			return err
		}
		do(order)
	}
}
