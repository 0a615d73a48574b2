// Command blankwindow is a Wails window with an empty page and nothing else. The
// benchmark memory.app compares the desktop app with it.
package main

import (
	"fmt"
	"os"
	"testing/fstest"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

func main() {
	if err := wails.Run(blank()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// blank has the size of the app's window and nothing else.
func blank() *options.App {
	page := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>blank</title>")}}
	return &options.App{
		Title:       "blank",
		Width:       900,
		Height:      640,
		AssetServer: &assetserver.Options{Assets: page},
	}
}
