package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"pilotfish/app/cli/client"
	"pilotfish/backend/protocol"
)

// destination is where results go: a file, and the address that gets it when it is whole, nil
// for none. The address is signed, so it is a credential: it is printed and kept nowhere.
type destination struct {
	file string
	to   *url.URL
}

// destinationOf reads a value of --out. The file of an address has its last name, in the
// current folder: an address that is signed again later is the same destination.
func destinationOf(out string) (destination, error) {
	if !strings.Contains(out, "://") {
		return destination{file: out}, nil
	}
	bad := func(what string) (destination, error) {
		return destination{}, protocol.NewError(protocol.CodeBadArgument, "--out: "+what, "write it as https://HOST/PATH/results.jsonl?…; http:// is for this machine")
	}
	u, err := url.Parse(out)
	if err != nil || u.Hostname() == "" || u.Fragment != "" {
		return bad("this is not an address")
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("results go to no address of this kind")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !ip.IsLoopback():
		return bad("the connection to " + u.Host + " would not be encrypted")
	}
	file := path.Base(u.Path)
	if file == "." || strings.ContainsAny(file, `/\:`) || !filepath.IsLocal(file) {
		return bad("the path of the address ends with no name of a file")
	}
	return destination{file, u}, nil
}

// deliver has the service put the file to the address, if there is one: this program links no
// HTTP client. The address goes through a pipe, so that the list of processes has it no second time.
func (d destination) deliver(ctx context.Context) error {
	if d.to == nil {
		return nil
	}
	service, err := client.Service()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, service, "put", "--json", "--file="+d.file)
	cmd.Stdin = strings.NewReader(d.to.String())
	out, err := cmd.Output()
	var reply protocol.CommandReply
	switch {
	case err == nil:
		return nil
	case json.Unmarshal(out, &reply) == nil && reply.Error != nil:
		return reply.Error
	}
	return client.Unstartable(service, err)
}
