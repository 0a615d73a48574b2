// Package leaving tests that nothing leaves through an agent that obeys every page:
// the whole way from a command to a real headless browser, with the user denying
// everything. It needs no display.
package leaving
