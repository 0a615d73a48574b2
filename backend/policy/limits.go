package policy

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxSiteRules bounds the rules of a session.
	maxSiteRules = 500
	// maxSitePattern bounds the site of a rule, in bytes.
	maxSitePattern = 300
)
