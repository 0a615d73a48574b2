//go:build bindings

package main

// generatingBindings is true in the program that `wails build` compiles and runs
// only to list the bound methods: it must not lock, listen or start anything.
const generatingBindings = true
