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

// destination is where results or a recording go: a file, and the address that gets it when it is
// whole, nil for none. The address is signed, so it is a credential: it is printed and kept nowhere.
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
	u, err := addressOf(out)
	if err != nil {
		return destination{}, err
	}
	file := path.Base(u.Path)
	if file == "." || strings.ContainsAny(file, `/\:`) || !filepath.IsLocal(file) {
		return destination{}, badOut("the path of the address ends with no name of a file")
	}
	return destination{file, u}, nil
}

// addressOf reads a value of --out that is an address.
func addressOf(out string) (*url.URL, error) {
	u, err := url.Parse(out)
	if err != nil || u.Hostname() == "" || u.Fragment != "" {
		return nil, badOut("this is not an address")
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, badOut("nothing goes to an address of this kind")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !ip.IsLoopback():
		return nil, badOut("the connection to " + u.Host + " would not be encrypted")
	}
	return u, nil
}

func badOut(what string) error {
	return protocol.NewError(protocol.CodeBadArgument, "--out: "+what, "write it as https://HOST/PATH/FILE?…; http:// is for this machine")
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
