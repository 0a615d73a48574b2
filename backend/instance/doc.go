// Package instance makes the app one of its kind on a machine and lets others
// find it: a lock that ends with the process however it ends, and pilotfish.json,
// by which the command line reaches the running app.
package instance
