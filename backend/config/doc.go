// Package config knows where things are on this machine (Dirs) and what the
// person chose (Store). Folders are 0700 and files 0600; a file is written whole
// or not at all and carries a version.
package config
