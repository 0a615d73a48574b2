package desktop

import "time"

// keyringTimeout is how long the desktop may take to answer whether it has a keyring. A
// running service answers within 1 to 2 ms, and a missing one is known at once. A desktop
// that has just begun is busy: an answer that is given up costs the user the sign-ins that
// the browser encrypted with the keyring.
const keyringTimeout = 10 * time.Second
