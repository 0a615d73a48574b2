package llm

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxModelError bounds what is read of a provider's error, in bytes.
	maxModelError = 64 << 10
	// maxModelList bounds a provider's list of models, in bytes.
	maxModelList = 8 << 20
	// modelDialTimeout is how long a connection to a provider may take.
	modelDialTimeout = 10 * time.Second
	// modelSilence is how long a model may say nothing before it counts as hung:
	// before its first byte, and between two.
	modelSilence = 2 * time.Minute
	// modelAttempts is how often a request is sent that a provider turns away
	// because it is busy.
	modelAttempts = 4
	// modelBackoff is the wait before the second attempt; it doubles.
	modelBackoff = 500 * time.Millisecond
	// modelMaxBackoff bounds the wait that we choose ourselves.
	modelMaxBackoff = 8 * time.Second
	// modelMaxRetryAfter bounds the wait that a provider asks for; when it asks
	// for more, the caller is told instead.
	modelMaxRetryAfter = 60 * time.Second
	// modelTestTimeout bounds a test of a connection, and a fetch of the models.
	modelTestTimeout = 30 * time.Second
	// modelLocalTimeout bounds the look for a model server on this machine.
	modelLocalTimeout = time.Second
	// maxModelProfiles bounds how many ways to a model there are.
	maxModelProfiles = 32
)
