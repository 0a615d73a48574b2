package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"pilotfish/backend/protocol"
)

const (
	// putWait is how long a receiver may take to answer after it has got a file.
	putWait = 2 * time.Minute
	// maxAddress is the size of an address, in bytes.
	maxAddress = 64 << 10
)

// put sends a file to the address that in has. The address is signed, so it is a
// credential. No redirect is followed: another host would get the file. An error names the
// host alone.
func put(ctx context.Context, file string, in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, maxAddress))
	if err != nil {
		return fmt.Errorf("reading the address: %w", err)
	}
	to, err := url.Parse(string(text))
	if err != nil || to.Host == "" {
		return protocol.NewError(protocol.CodeBadArgument, "this is not an address", "`pilotfish pool run` and `pilotfish record` start this")
	}
	failed := func(what string) error {
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("%s has not got the file: %s; it is in %s", to.Host, what, file), "the same line sends it again, also with an address that is signed anew")
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("opening the file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading the size of the file: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, to.String(), f)
	if err != nil {
		return failed("this is not an address")
	}
	r.ContentLength = info.Size()
	if info.Size() == 0 {
		r.Body = http.NoBody // else it is sent in chunks, which stores of files refuse
	}
	if password, set := to.User.Password(); set {
		r.SetBasicAuth(to.User.Username(), password)
	}
	// Not a client: its errors have the address.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true, ResponseHeaderTimeout: putWait, TLSHandshakeTimeout: putWait}
	res, err := transport.RoundTrip(r)
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return failed(err.Error())
	}
	_ = res.Body.Close() // what it says may quote the address
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return failed(fmt.Sprintf("status %d", res.StatusCode))
	}
	return nil
}
