package observe

import "time"

// The limits of this package.
const (
	// ConsoleRing is how many entries of a tab's console are kept. The oldest are
	// dropped first, and the dropped ones are counted. The same holds for
	// networkRing and dialogRing.
	ConsoleRing = 5000
	// consoleText is the maximum length of a console entry, in characters.
	consoleText = 10_000
	networkRing = 5000
	// postKept is how many bytes of data that a tab's requests sent are kept together;
	// of further ones the first 4 KB.
	postKept = 16 << 20
	// networkBuffer is how many bytes of response bodies the browser keeps for a
	// watched tab; networkBodyMax is the size of the largest single body.
	networkBuffer  = 64 << 20
	networkBodyMax = 16 << 20
	dialogRing     = 200
	// traceBytes is the maximum size of a trace file, in bytes.
	traceBytes = 256 << 20
	// traceStop is how long the browser may take to deliver a trace.
	traceStop = 30 * time.Second
)
