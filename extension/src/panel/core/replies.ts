// A terminal answers questions of the program inside it by typing. During a
// replay the questions are old and were answered when they were asked: a second
// answer would be typed into whatever runs now.

/**
 * What xterm types by itself: device attributes, status and cursor reports,
 * mode reports, window reports, focus reports, colours and other strings.
 */
const reply =
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  /^(?:\x1b\[[?>=]?[\d;]*(?:[cnRtIO]|\$y)|\x1b[P\]][^\x1b\x07]*(?:\x1b\\|\x07))+$/;

/** Whether this is an answer of the terminal and not typing of the person. */
export function isReply(data: string): boolean {
  return data.startsWith('\x1b') && reply.test(data);
}
