// The limits of a conversation in view, the same in panel and window.

/** How many entries of a conversation are asked for at once. */
export const CHAT_PAGE = 200;
/** How near to its end a conversation counts as read to the end, in pixels. */
export const FOLLOW_WITHIN = 24;
/** How near to its beginning older entries are asked for, in pixels. */
export const OLDER_WITHIN = 600;

/** How much of a message has to be seen for it not to be repeated above its answer, in pixels. */
export const PINNED_SEEN = 12;

/** The height of the smallest entry, in pixels: no more of them are in view than have room. */
export const LEAST_HEIGHT = 24;
