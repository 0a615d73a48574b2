// Package instance ensures that only one instance of the app runs on a machine, and
// lets other programs find it: with a lock that the kernel releases however the
// process ends, and with pilotfish.json, by which the command line reaches the
// running app.
package instance
