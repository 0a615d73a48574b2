package main

import "time"

// Every timer and limit of the desktop program stands here; those of the backend
// stand in protocol.
const (
	// quitTimeout is how long an orderly end may take. After it the program ends
	// all the same, and the guard ends what is left.
	quitTimeout = 5 * time.Second
	// trayQuitTimeout is how long the tray may take to end when its input is
	// closed, before it is killed.
	trayQuitTimeout = time.Second
	// beginTimeout is how long window and tray wait for the first panel.
	beginTimeout = 1200 * time.Millisecond
	// showTimeout is how long a running app may take to show its window when a
	// second one asks.
	showTimeout = 3 * time.Second
	// themeTimeout is how long the desktop may take to say whether it is dark.
	themeTimeout = 150 * time.Millisecond
	// pageDeathsApart is how far apart two deaths of the window's page must be for it
	// to be loaded again: one that cannot live is left alone.
	pageDeathsApart = 10 * time.Second
	// labelRunes is how much of a tab's title a tray menu shows.
	labelRunes = 40
	// logBatch is how many records go to the window in one event.
	logBatch = 200
)

// The window's size in pixels.
const (
	windowWidth, windowHeight       = 900, 640
	windowMinWidth, windowMinHeight = 640, 480
)
