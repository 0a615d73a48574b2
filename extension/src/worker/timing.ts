// All deadlines and pauses of the worker, in milliseconds.

/** The pause before a report made during a change is repeated. It doubles each time. */
export const LOOK_AGAIN = 20;
/**
 * How often, at most: ten seconds in all, for a busy machine. After that, only the next event causes
 * a report.
 */
export const LOOKS = 9;
/** How long a panel must be closed before welcome pages are notified: one that reopens at once is ignored. */
export const CLOSED_QUIET = 700;
/** The deadline for telling a welcome page that a panel is connected. */
export const WELCOME_WAIT = 10_000;
