// Every timer and limit of the panel. A timer exists only for a deadline, a
// heartbeat or a backoff; changes travel by event. What the backend enforces
// too has the name that it has in backend/protocol/limits.go, and
// timing.test.ts compares the two.

/** How often an open socket is pinged, in milliseconds. */
export const PING_INTERVAL = 15_000;
/** How long a silent socket counts as alive, in milliseconds. */
export const DEAD_AFTER = 30_000;
/** The first pause before a lost socket is opened again, in milliseconds. */
export const RECONNECT_MIN = 100;
/** The longest such pause, in milliseconds. */
export const RECONNECT_MAX = 5_000;
/** How long a request or the opening of a socket may take, in milliseconds. */
export const REQUEST_TIMEOUT = 10_000;
/**
 * How long the reply to a command may take, in milliseconds. The backend ends a
 * command by its own deadline before that; one that a person has to allow waits
 * for them.
 */
export const COMMAND_TIMEOUT = 600_000;
/** How long a content script may take for what it is asked, in milliseconds. */
export const PAGE_TIMEOUT = 10_000;
/** The first pause before a page is asked again, and the longest; it doubles, in milliseconds. */
export const PAGE_AGAIN = 50;
export const PAGE_AGAIN_MAX = 800;
/** How long a page that loads is waited for before it is looked at, in milliseconds. */
export const PAGE_LOAD = 5_000;
/** How long a task's journal waits before it writes again what failed, in milliseconds. */
export const WRITE_AGAIN = 500;
/** How long a model may be tested, or asked for its list, in milliseconds; the app gives up first. */
export const MODEL_TIMEOUT = 40_000;
/** How long all tabs of a task are gone before it ends, in milliseconds. */
export const TABS_GONE = 1_000;
/** How long a task's own helpers wait for an element that is not there yet, in milliseconds. */
export const REPLAY_WAIT = 3_000;
/** How long a terminal that was attached to early waits for its screen, in milliseconds. */
export const EARLY_WAIT = 5_000;
/**
 * How long the rest of the panel's code waits for a first picture, in milliseconds:
 * the backend answers in a fraction of it.
 */
export const PICTURE_WAIT = 250;
/** How long the size of the panel stands still before the program is told, in milliseconds. */
export const RESIZE_QUIET = 60;
/** How long the panel waits in silence before it says that it waits, in milliseconds. */
export const SAY_AFTER = 400;

/** After how many drawn bytes a viewer acknowledges. */
export const ACK_EVERY = 64 * 1024;
/** After how many drawn bytes a checkpoint is sent at the latest. */
export const CHECKPOINT_EVERY = 4 * 1024 * 1024;
/** How long the terminal is quiet before a checkpoint, in milliseconds. */
export const CHECKPOINT_QUIET = 50;
/** How long the terminal is quiet before it is told what it looks like, in milliseconds. */
export const PICTURE_QUIET = 250;
/** The longest telling of that, in bytes. */
export const MAX_PICTURE = 256 * 1024;
/** The longest checkpoint, in bytes. */
export const MAX_CHECKPOINT = 8 * 1024 * 1024;
/** How many bytes since the last one make a checkpoint worth sending. */
export const CHECKPOINT_WORTH = 64 * 1024;
/** The bounds of a terminal's size, in cells. */
export const MIN_COLS = 2;
export const MAX_COLS = 1000;
export const MIN_ROWS = 1;
export const MAX_ROWS = 500;

/** The largest piece in which input is sent, in bytes. */
export const INPUT_PIECE = 64 * 1024;
/** How much typing waits for a socket that is being opened again, in bytes. */
export const INPUT_WAITING = 64 * 1024;
/** After how many failed attempts what was typed meanwhile is dropped, not sent as a surprise. */
export const INPUT_ATTEMPTS = 3;
/** How many terminals keep their screen while they are not shown. */
export const MAX_SCREENS = 8;
/** How many lines of scrollback a screen keeps. */
export const SCROLLBACK = 10_000;
/** A paste of more lines than this into a program without bracketed paste asks first. */
export const PASTE_LINES = 5;
/** The largest text that a program may put on the clipboard, in bytes. */
export const CLIPBOARD_LIMIT = 100 * 1024;
/** How long nobody types before a draft is kept, in milliseconds. */
export const DRAFT_QUIET = 300;
/** How long a draft is not kept at most while somebody types on, in milliseconds. */
export const DRAFT_LATEST = 2_000;
/** How many conversations are kept while others are looked at. */
export const MAX_TALKS = 12;
/** The largest attachment of a message, in bytes. */
export const MAX_ATTACHMENT = 10 * 1024 * 1024;
