package observe

import "time"

// The limits of this package.
const (
	// ConsoleRing is how many entries of a tab's console are kept; the oldest go first
	// and are counted. So it is with networkRing and dialogRing.
	ConsoleRing = 1000
	// consoleText bounds one entry of the console, in characters.
	consoleText = 10_000
	networkRing = 1000
	// networkBuffer is how many bytes of bodies the browser keeps for a watched
	// tab, networkBodyMax the largest single one.
	networkBuffer  = 64 << 20
	networkBodyMax = 16 << 20
	dialogRing     = 200
	// traceBytes bounds a trace's file.
	traceBytes = 256 << 20
	// traceStop is how long the browser may take to hand over a trace.
	traceStop = 30 * time.Second
)
