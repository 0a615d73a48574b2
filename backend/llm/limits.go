package llm

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxModelError bounds how much of a provider's error response is read, in
	// bytes.
	maxModelError = 64 << 10
	// maxModelList bounds a provider's list of models, in bytes.
	maxModelList = 8 << 20
	// modelDialTimeout is how long a connection to a provider may take.
	modelDialTimeout = 10 * time.Second
	// modelSilence is how long a model may send nothing before it counts as
	// hung, before its first byte and between two.
	modelSilence = 2 * time.Minute
	// modelAttempts is how often a request is sent to a provider that refuses
	// it because it is busy.
	modelAttempts = 4
	// modelBackoff is the wait before the second attempt; it doubles.
	modelBackoff = 500 * time.Millisecond
	// modelMaxBackoff bounds the wait if the provider asks for none.
	modelMaxBackoff = 8 * time.Second
	// modelMaxRetryAfter bounds the wait that a provider asks for; if it asks
	// for more, the caller gets an error instead.
	modelMaxRetryAfter = 60 * time.Second
	// modelTestTimeout bounds a test of a connection, and a fetch of the models.
	modelTestTimeout = 30 * time.Second
	// modelLocalTimeout bounds the search for a model server on this machine.
	modelLocalTimeout = time.Second
	// maxModelProfiles is the greatest number of model profiles.
	maxModelProfiles = 32
)
