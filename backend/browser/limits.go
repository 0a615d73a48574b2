package browser

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// browserStartTimeout is how long Chromium may take to answer on its pipe.
	browserStartTimeout = 30 * time.Second
	// browserStopTimeout is how long it may take to close by itself.
	browserStopTimeout = 3 * time.Second
	// tabSettle is how long a change of the tabs waits for the word of the
	// extension's worker before the worker is asked.
	tabSettle = 25 * time.Millisecond
	// workerAnswer is how long the worker may take to answer; after it the
	// browser's own word counts.
	workerAnswer = 1 * time.Second
	// workerStartTimeout is how long the extension's worker may take to appear
	// after the extension was loaded, before it is loaded again.
	workerStartTimeout = 8 * time.Second
	// pictureWait is when the picture of a tab in front is overdue: its window may
	// be shown nowhere.
	pictureWait = 500 * time.Millisecond
	// networkQuiet is how long no request may be under way for the network to
	// count as quiet.
	networkQuiet = 500 * time.Millisecond
	// rootsAgain is how often a wait asks for closed shadow roots that have come
	// meanwhile: no event tells of them.
	rootsAgain = 250 * time.Millisecond
	// sliceHeight is the height of one slice of a tall picture, in CSS pixels:
	// models scale larger pictures down until their text cannot be read.
	sliceHeight = 1400
	// sliceOverlap is what two slices have in common, so that no line is cut in
	// both.
	sliceOverlap = 60
	// pickEndTimeout is how long a page may take to switch its picker off.
	pickEndTimeout = time.Second
	// pickElements is how many elements are listed beside the picker.
	pickElements = 500
	// recordSteps and RecordFrames bound a recording.
	recordSteps  = 2000
	recordFrames = 1200
	// recordRate is how many pictures a second a video has at most.
	recordRate = 10
)
