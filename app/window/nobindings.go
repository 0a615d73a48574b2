//go:build !bindings

package main

// generatingBindings is true only in the program that `wails build` runs to list
// the bound methods.
const generatingBindings = false
