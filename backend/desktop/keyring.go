package desktop

import "time"

// keyringTimeout is how long the desktop may take to say whether it keeps
// secrets; a running service answers in a millisecond or two.
const keyringTimeout = time.Second
