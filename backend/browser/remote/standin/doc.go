// Package standin is an engine for tests: it gives real browsers of this machine as a
// service does, at a WebSocket or as a Selenium Grid, and fails as engines fail.
package standin
