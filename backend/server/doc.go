// Package server is the loopback HTTP and WebSocket server: one table of routes
// and the gates in front of them. It has no logic of its own: most routes are operations,
// which the parts declare (backend/op), and the others call the interface Sessions.
package server
