// Package journal is how state reaches the disk: whole or not at all.
package journal
