package auth

import "net/netip"

// Request is what a request says about its caller.
type Request struct {
	// Grant is that of its token, and Capability what it needs.
	Grant      Grant
	Capability Capability
	// Client and Server are the ends of its connection.
	Client, Server netip.AddrPort
	// Program is its protocol.HeaderProgram.
	Program string
}
