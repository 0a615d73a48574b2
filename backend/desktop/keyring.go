package desktop

import "time"

// keyringTimeout is how long the desktop may take to answer whether it has a keyring;
// a running service answers within 1 to 2 ms.
const keyringTimeout = time.Second
