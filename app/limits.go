package main

import "time"

// All timers and limits of the desktop program are in this file. Those of the
// backend are in protocol.
const (
	// quitTimeout is how long an orderly end may take. After it, the program
	// exits anyway, and the guard stops the processes that are left.
	quitTimeout = 5 * time.Second
	// trayQuitTimeout is how long the tray program may take to end after its
	// input is closed, before it is killed.
	trayQuitTimeout = time.Second
	// beginTimeout is how long window and tray wait for the first panel before
	// they start.
	beginTimeout = 1200 * time.Millisecond
	// showTimeout is how long a running app may take to show its window when a
	// second one asks.
	showTimeout = 3 * time.Second
	// windowQuitTimeout is how long the window's program may take to end after
	// its input is closed, before it is killed.
	windowQuitTimeout = time.Second
	// windowQueue is how many orders may wait for the window's program. It
	// reads them at once, so a full queue means that it hangs.
	windowQueue = 1024
	// windowLineMost is the longest report of the window's program, in bytes.
	windowLineMost = 4 << 20
	// labelRunes is how many characters of a tab's title a tray menu shows.
	labelRunes = 40
	// logBatch is how many records the window receives in one event, at most.
	logBatch = 200
)
