// Every deadline and pause of the worker, in milliseconds.

/** The pause before a look that was in the middle of a change is made again; it doubles. */
export const LOOK_AGAIN = 20;
/** How often, at most: ten seconds in all, for a busy machine. Then the next event is waited for. */
export const LOOKS = 9;
/** How long a panel may be closed before welcome pages are told: one that comes back at once was not missed. */
export const CLOSED_QUIET = 700;
/** How long a welcome page has to be told that a panel is connected. */
export const WELCOME_WAIT = 10_000;
