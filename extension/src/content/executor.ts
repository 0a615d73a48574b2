/**
 * The content script that reads a page and acts on it where the app cannot. It is injected into a
 * frame when the worker needs it, and into no other frame. It listens only to the worker, never to
 * the page.
 */
import { answering, type Asked, type Desk } from '../messages/answer';
import { MessageError, tabEvent } from '../messages/envelope';
import type { About, Done, Told } from '../messages/methods';
import { createPage } from '../page/page';
import { Acts } from './acts';
import { covering } from './covering';
import { Shown } from './shown';

declare global {
  /** Set in the isolated world once this script runs: it may be injected twice. */

  var pilotfishExecutor: true | undefined;
}

/** How long the event that this script is ready stays valid, in milliseconds. */
const EVENT_LIFETIME = 10_000;

/**
 * How long before its deadline a wait ends, in milliseconds, so that its answer arrives in time.
 */
const SLACK = 500;

const isRef = (target: string): boolean => /^@?f\d+e\d+$/.test(target);

if (globalThis.pilotfishExecutor === undefined) {
  globalThis.pilotfishExecutor = true;
  begin();
}

function begin(): void {
  const page = createPage();
  const acts = new Acts(page);
  const shown = new Shown();

  /** Configures the page for a request. Throws when the page now belongs to another site. */
  const about = ({ caller, origin, prefix, base }: About): void => {
    if (location.origin !== origin)
      throw new MessageError(
        'moved',
        'The page has navigated to another site.',
        'Take a new snapshot.',
      );
    if (document.readyState === 'loading' && document.querySelector('body,frameset') === null)
      throw new MessageError('unreached', 'The page is still loading.', 'Try again.');
    page.configure({
      prefix,
      base,
      caller,
      closedRoot: (el) =>
        el instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(el) : null,
    });
  };
  /** Throws for a ref that was not shown to the caller in this document. */
  const seen = (caller: string, target: string): string => {
    if (isRef(target) && !shown.has(caller, target))
      throw new MessageError(
        'no_element',
        `${target} was not shown since this page was loaded.`,
        'Take a new snapshot.',
      );
    return target;
  };
  /** The ref of the field that a target means. */
  const find = (caller: string, target: string): string => acts.find(seen(caller, target));
  const pageFields = (): Told => ({ next: page.next(), url: location.href, title: document.title });
  /** Wraps an action: first checks everything that may have changed since the request was sent. */
  const act =
    <P extends About, R extends Pick<Done, 'change'>>(
      does: (params: P, signal: AbortSignal) => Promise<R>,
      // A pointer action finds its target itself, because a text target is more than a ref.
      take: (caller: string, target: string) => string = find,
    ): ((params: P, asked: Asked) => Promise<R & Told>) =>
    async (params, { signal }) => {
      signal.throwIfAborted();
      about(params);
      const ref = 'ref' in params ? params.ref : undefined;
      const at = typeof ref === 'string' ? { ref: take(params.caller, ref) } : {};
      const to = 'to' in params ? params.to : undefined;
      const onto = typeof to === 'string' ? { to: take(params.caller, to) } : {};
      const done = await does({ ...params, ...at, ...onto }, signal);
      const { appeared = [], changed = [] } = done.change ?? {};
      shown.note(params.caller, [...appeared, ...changed].join('\n'));
      return { ...done, ...pageFields() };
    };

  const tells: Desk<'cs:query'> = {
    snapshot: ({ scope, ...params }) => {
      about(params);
      const { caller, near, max, find } = params;
      const part =
        scope !== undefined && /^h\d+$/.test(scope)
          ? page.more(scope, max)
          : page.snapshot({
              caller,
              header: true,
              ...(near !== undefined && { near }),
              ...(max !== undefined && { max }),
              ...(find !== undefined && { find }),
              ...(scope !== undefined && { scope }),
            });
      if (part === undefined)
        throw new MessageError(
          'no_element',
          'There is no such handle on the page.',
          'Take a new snapshot.',
        );
      shown.note(caller, part.text);
      return { text: part.text, ...pageFields() };
    },
    facts: ({ ref, ...params }) => {
      about(params);
      const at = ref === undefined ? {} : { ref: acts.judged(seen(params.caller, ref)) };
      if (at.ref !== undefined) {
        acts.known(at.ref);
        shown.note(params.caller, at.ref);
      }
      return { ...at, facts: page.facts(at) ?? null, ...pageFields() };
    },
    read: ({ ref, ...params }) => {
      about(params);
      const at = ref === undefined ? undefined : find(params.caller, ref);
      return { text: page.markdown(at), ...pageFields() };
    },
    wait: async ({ for: what, value, ...params }, { question, signal }) => {
      about(params);
      // A ref must belong to this document; other targets need not.
      const of = what !== 'text' && isRef(value) ? find(params.caller, value) : value;
      const timeout = question.deadline - Date.now() - SLACK;
      try {
        const { state } = await page.waitFor({ [what]: of, timeout });
        signal.throwIfAborted();
        return { met: state === 'met', ...pageFields() };
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new MessageError('bad_argument', `This cannot be read: ${error.message}.`);
      }
    },
  };
  const does: Desk<'cs:rpc'> = {
    click: act((params, signal) => acts.click(params, signal), seen),
    hover: act((params, signal) => acts.hover(params, signal), seen),
    fill: act((params, signal) => acts.fill(params, signal)),
    type: act((params, signal) => acts.type(params, signal)),
    select: act((params, signal) => acts.select(params, signal)),
    check: act((params, signal) => acts.check(params, signal)),
    scroll: act((params, signal) => acts.scroll(params, signal)),
    press: act((params, signal) => acts.press(params, signal)),
    drag: act((params, signal) => acts.drag(params, signal), seen),
    ready: () => null,
  };
  covering(page);
  chrome.runtime.onMessage.addListener(
    answering({ 'cs:query': tells, 'cs:rpc': does }, chrome.runtime.id, true),
  );
  // A panel may be waiting for this frame. If none is, nobody receives the message.
  const here = (): void => {
    chrome.runtime
      .sendMessage(tabEvent('executor-ready', Date.now() + EVENT_LIFETIME))
      .catch(() => undefined);
  };
  here();
  // The document comes back from the back/forward cache, and this script with it.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) here();
  });
}
