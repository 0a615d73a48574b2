import { MessageError } from '../../../messages/envelope';
import type { Params } from '../../../messages/envelope';
import type { Frame } from '../../../messages/methods';
import { word } from './bypageacts';
import type { Link } from './pagelink';
import type { Arrival, Way } from './travel';

/** How a command navigates a tab; undefined for commands that do not. */
export function wayOf(command: string, to: string): Way | undefined {
  switch (command) {
    case 'goto':
      return { to };
    case 'back':
    case 'forward':
    case 'reload':
      return command;
    default:
      return undefined;
  }
}

/** The result of a navigation in words; throws if it failed. */
export function arrived(way: Way, arrival: Arrival): { head: string; moved: boolean } {
  const what = { back: 'went back', forward: 'went forward', reload: 'loaded again' };
  const head = typeof way === 'object' ? 'went there' : what[way];
  switch (arrival.came) {
    case 'document':
      return { head, moved: true };
    case 'within':
      return { head: `${head}; the page is the same one, at another address`, moved: true };
    case 'kept':
      return { head: 'the page stayed: the answer was a download, or nothing', moved: false };
    case 'nowhere':
      throw new MessageError(
        'not_actable',
        `There is no ${way === 'forward' ? 'later' : 'earlier'} page in this tab.`,
      );
    case 'late':
      throw new MessageError('deadline', 'The page did not come in time.', 'Look at the tab.');
    case 'failed':
      throw new MessageError('navigation', `The page could not be loaded (${arrival.why}).`);
  }
}

/** What `wait` can wait for without the app. */
const inPage = new Set(['text', 'element', 'gone']);

/**
 * Waits as the command `wait` does. `about` returns the parameters that each
 * request to a frame has. Throws if the condition is not met.
 */
export async function waited(
  link: Link,
  chrome: number,
  frames: readonly Frame[],
  about: (frame: number) => Omit<Params<'cs:query', 'wait'>, 'for' | 'value'>,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const what = word(args, 'for') ?? '';
  const value = word(args, 'value') ?? '';
  if (what === 'time') {
    await link.rest(Number(value) || 0, signal);
    return;
  }
  if (what === 'load') {
    if (await link.loading(chrome, signal)) throw late('The page is still loading.');
    return;
  }
  if (!inPage.has(what))
    throw new MessageError(
      'restricted',
      `wait for ${what} needs the app's own way into the tab, which the browser refuses.`,
      'Wait for a text, an element, the load or a time.',
    );
  const wanted = what as Params<'cs:query', 'wait'>['for'];
  const met = async ({ frame }: Frame): Promise<boolean> => {
    const params = { ...about(frame), for: wanted, value };
    const asked = link.tab('cs:query', 'wait', params, { tab: chrome, frame }, signal);
    if (frame === 0) return (await asked).met;
    // A frame that has gone, or that no content script may enter, shows nothing.
    return asked.then(
      (reply) => reply.met,
      (error: unknown) => {
        if (!(error instanceof MessageError)) throw error;
        return wanted === 'gone';
      },
    );
  };
  const each = frames.map(async (one) => {
    if (!(await met(one)))
      throw late(wanted === 'gone' ? 'It is still there.' : 'It did not come.');
  });
  // "gone" must be true in every frame; the other conditions in one frame.
  if (wanted === 'gone') await Promise.all(each);
  else
    await Promise.any(each).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error;
    });
}

function late(message: string): MessageError {
  return new MessageError('deadline', message, 'Look at the page.');
}
