// Package shots keeps a small screenshot of the moment after each command that acts,
// beside the activity. It takes them when the tab is quiet, so that no command waits
// for one.
package shots
