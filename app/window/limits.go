package main

import "time"

const (
	// themeTimeout is how long we wait for the desktop to say whether it is
	// dark.
	themeTimeout = 150 * time.Millisecond
	// pageDeathsApart is the least time between two crashes of the page's
	// process for the page to be loaded again. A page that crashes sooner is
	// not reloaded.
	pageDeathsApart = 10 * time.Second
)

// The window's size in pixels.
const (
	windowWidth, windowHeight       = 900, 640
	windowMinWidth, windowMinHeight = 640, 480
	// titleHeight is the height that a window manager may add above it.
	titleHeight = 40
)

// mostScreens is how many screens we ask for their work area, at most.
const mostScreens = 16
