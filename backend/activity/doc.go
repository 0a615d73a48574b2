// Package activity records what every caller did in a session: who, where, what,
// with which result. A ring in memory answers what is new, a journal on disk
// what is older; both have one monotonic index.
package activity
