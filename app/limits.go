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
	// windowQuitTimeout is how long the window's program may take to end when its
	// input is closed, before it is killed.
	windowQuitTimeout = time.Second
	// windowQueue is how many orders may wait for the window's program, which reads
	// them at once: one that lets so many wait hangs.
	windowQueue = 1024
	// windowLineMost is how long a report of the window's program may be, in bytes.
	windowLineMost = 4 << 20
	// labelRunes is how much of a tab's title a tray menu shows.
	labelRunes = 40
	// logBatch is how many records go to the window in one event.
	logBatch = 200
)
