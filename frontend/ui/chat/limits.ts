// The limits of a conversation view, the same in panel and window.

/** How many entries of a conversation one request asks for. */
export const CHAT_PAGE = 200;
/** How close to its end a view counts as at the end, in pixels. */
export const FOLLOW_WITHIN = 24;
/** How close to the start of the list older entries are requested, in pixels. */
export const OLDER_WITHIN = 600;

/** How much of a message must be visible for it not to be repeated above its answer, in pixels. */
export const PINNED_SEEN = 12;

/** The height of the smallest entry, in pixels. It limits how many entries can be in view. */
export const LEAST_HEIGHT = 24;
