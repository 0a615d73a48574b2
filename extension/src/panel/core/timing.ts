// All timers and limits of the panel. Timers are used only for deadlines, heartbeats,
// quiet periods and backoff; changes arrive as events. A limit that the backend also
// enforces has the same name in backend/protocol/limits.go, and timing.test.ts
// compares the two.

/** How often an open socket is pinged, in milliseconds. */
export const PING_INTERVAL = 15_000;
/** After how long without a message a socket counts as dead, in milliseconds. */
export const DEAD_AFTER = 30_000;
/** The delay before the first retry of a lost socket, in milliseconds. */
export const RECONNECT_MIN = 100;
/** The longest delay between retries, in milliseconds. */
export const RECONNECT_MAX = 5_000;
/** How long a request or the opening of a socket may take, in milliseconds. */
export const REQUEST_TIMEOUT = 10_000;
/**
 * How long the user may take to enter the panel's code, in milliseconds: a little longer than the
 * app waits.
 */
export const PAIR_TIMEOUT = 330_000;
/** How long the panel waits before it asks again to be paired, in milliseconds. */
export const PAIR_AGAIN = 1_000;
/**
 * How long the reply to a command may take, in milliseconds. The backend ends a
 * command earlier by a deadline of its own. A command that needs an approval waits
 * for the user.
 */
export const COMMAND_TIMEOUT = 600_000;
/** How long a content script may take to answer a request, in milliseconds. */
export const PAGE_TIMEOUT = 10_000;
/**
 * The first and the longest delay before a request to a page is repeated, in
 * milliseconds. The delay doubles each time.
 */
export const PAGE_AGAIN = 50;
export const PAGE_AGAIN_MAX = 800;
/** How long a task waits for a page to load before it takes a snapshot, in milliseconds. */
export const PAGE_LOAD = 5_000;
/** How long a task's journal waits before it repeats a failed write, in milliseconds. */
export const WRITE_AGAIN = 500;
/**
 * How long a request to test a model or to list models may take, in milliseconds.
 * The app gives up before that.
 */
export const MODEL_TIMEOUT = 40_000;
/** How long a task continues after all its tabs are closed, in milliseconds. */
export const TABS_GONE = 1_000;
/**
 * How long a replay or another helper of a task waits for an element or a text to
 * appear, in milliseconds.
 */
export const REPLAY_WAIT = 3_000;
/** How long an early attached terminal waits for its screen, in milliseconds. */
export const EARLY_WAIT = 5_000;
/** How long the panel's size must be stable before the terminal is resized, in milliseconds. */
export const RESIZE_QUIET = 60;
/** How long the panel waits before it tells the user that it is connecting, in milliseconds. */
export const SAY_AFTER = 400;

/** The number of drawn bytes after which a viewer acknowledges. */
export const ACK_EVERY = 64 * 1024;
/** The number of drawn bytes after which a checkpoint is sent, even if output continues. */
export const CHECKPOINT_EVERY = 4 * 1024 * 1024;
/** How long the terminal must be quiet before a checkpoint is sent, in milliseconds. */
export const CHECKPOINT_QUIET = 50;
/** The largest checkpoint, in bytes. */
export const MAX_CHECKPOINT = 8 * 1024 * 1024;
/** The number of bytes drawn since the last checkpoint that make a new one worth sending. */
export const CHECKPOINT_WORTH = 64 * 1024;
/** The limits of a terminal's size, in cells. */
export const MIN_COLS = 2;
export const MAX_COLS = 1000;
export const MIN_ROWS = 1;
export const MAX_ROWS = 500;

/** Input is sent in pieces of at most this size, in bytes. */
export const INPUT_PIECE = 64 * 1024;
/** How much input is queued while a socket is opened again, in bytes. */
export const INPUT_WAITING = 64 * 1024;
/**
 * After this many failed attempts, queued input is dropped, because sending it so
 * late would surprise the user.
 */
export const INPUT_ATTEMPTS = 3;
/** How many terminals keep their screens, including those that are not shown. */
export const MAX_SCREENS = 8;
/** How many lines of scrollback a screen has. */
export const SCROLLBACK = 10_000;
/** The largest text that a program may put on the clipboard, in bytes. */
export const CLIPBOARD_LIMIT = 100 * 1024;
/** How long the user must pause typing before a draft is saved, in milliseconds. */
export const DRAFT_QUIET = 300;
/** How long saving a draft may be delayed while the user keeps typing, in milliseconds. */
export const DRAFT_LATEST = 2_000;
/** How many conversations stay loaded while others are shown. */
export const MAX_TRANSCRIPTS = 12;
/** The largest attachment of a message, in bytes. */
export const MAX_ATTACHMENT = 10 * 1024 * 1024;
