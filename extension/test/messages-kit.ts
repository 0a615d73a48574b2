/**
 * What test/messages.test.ts loads into a page of the extension: the panel's side of its messages.
 */
export { ask } from '../src/messages/ask';
export { question } from '../src/messages/envelope';
export { systemClock } from '../src/panel/connection/clock';
export { PageLink } from '../src/panel/task/browser/pagelink';
