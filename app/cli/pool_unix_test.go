//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// An interrupt lets the rows under way end, and the same line does the others.
func TestPoolIsInterrupted(t *testing.T) {
	c := newCrawl(t, "goto ${url}", "url\nfirst.test\nfirst.test\na.test\nb.test\n")
	said := make(chan string, 1)
	c.out = &output{wrote: make(chan struct{}, 8)}
	go func() {
		_, all := c.run()
		said <- all
	}()
	for range 2 {
		<-c.backend.First()
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-c.out.wrote // that no more rows begin
	c.out = nil
	c.pilotfish("goto", "last.test", "--session", "crawl-1")
	if all := <-said; !strings.Contains(all, "no more rows begin") || !strings.Contains(all, "2 done, 0 failed, 2 left") || c.backend.Seen("a.test") != 0 {
		t.Error(all)
	}
	if code, all := c.run(); code != 0 || !strings.Contains(all, "4 done") || c.backend.Seen("first.test") != 2 || c.backend.Seen("b.test") != 1 {
		t.Error(code, all)
	}
}
