package policy

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxSiteRules is the limit of rules in a session.
	maxSiteRules = 500
	// maxSitePattern is the limit of the site of a rule, in bytes.
	maxSitePattern = 300
)
