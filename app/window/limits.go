package main

import "time"

const (
	// themeTimeout is how long the desktop may take to say whether it is dark.
	themeTimeout = 150 * time.Millisecond
	// pageDeathsApart is how far apart two deaths of the window's page must be for it
	// to be loaded again: one that cannot live is left alone.
	pageDeathsApart = 10 * time.Second
)

// The window's size in pixels.
const (
	windowWidth, windowHeight       = 900, 640
	windowMinWidth, windowMinHeight = 640, 480
	// titleHeight is what a window manager may add above it.
	titleHeight = 40
)

// mostScreens is how many screens are asked for their work area.
const mostScreens = 16
