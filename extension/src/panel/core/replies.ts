// A terminal answers queries of the program inside it by sending input. During a
// replay the queries are old and were answered at that time. A second answer would be
// typed into the program that runs now.

/**
 * The answers that xterm sends by itself: device attributes, status and cursor
 * reports, mode reports, window reports, focus reports, colours and other strings.
 */
const reply =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /^(?:\x1b\[[?>=]?[\d;]*(?:[cnRtIO]|\$y)|\x1b[P\]][^\x1b\x07]*(?:\x1b\\|\x07))+$/;

/** Whether this input is an answer of the terminal, and not typed by the user. */
export function isReply(data: string): boolean {
  return data.startsWith('\x1b') && reply.test(data);
}
