/**
 * Forwards a panel's question about a tab to the content script of a frame. It injects the script
 * first where it is missing, and keeps no state.
 */
import { noTab, undelivered } from '../messages/ask';
import { answering, type Asked, type Desk } from '../messages/answer';
import { MESSAGE_VERSION, MessageError, readAnswer, type Question } from '../messages/envelope';
import type { Frame, ToTab } from '../messages/methods';
import { cleanState, cleanTab, uncleanTab } from './clean';
import { tellWelcomePages } from './welcome';

/** The script that reads a page and acts on it. */
const EXECUTOR = 'executor.js';

/** Answers the panels. It must be registered in the worker's first turn of the event loop. */
export function answerPanels(): void {
  const desk: Desk<'rpc:call'> = {
    connected: async () => {
      await tellWelcomePages();
      return null;
    },
    tab: (to, asked) => relay(to, asked),
    frames: ({ tab }) => frames(tab),
    clean: async ({ tab, do: what }) => {
      reachable(await chrome.tabs.get(tab).catch(() => Promise.reject(noTab())));
      return { clean: cleanTab, undo: uncleanTab, state: cleanState }[what](tab);
    },
  };
  chrome.runtime.onMessage.addListener(answering({ 'rpc:call': desk }, chrome.runtime.id, true));
}

async function frames(tab: number): Promise<readonly Frame[]> {
  const all = await chrome.webNavigation.getAllFrames({ tabId: tab });
  if (all === null) throw noTab();
  return all
    .filter(({ errorOccurred }) => !errorOccurred)
    .map(({ frameId, parentFrameId, url }) => ({ frame: frameId, parent: parentFrameId, url }));
}

/** Forwards a question with its own id and deadline. */
async function relay(to: ToTab, { question, signal }: Asked): Promise<unknown> {
  const { kind, method, params } = to;
  const passed: Question = {
    kind,
    v: MESSAGE_VERSION,
    id: question.id,
    deadline: question.deadline,
    method,
    params,
  };
  reachable(await chrome.tabs.get(to.tab).catch(() => Promise.reject(noTab())));
  let said: unknown;
  try {
    said = await send(to, passed);
  } catch (error) {
    const why = undelivered(error);
    // No content script received it: the page is older than the extension, or new.
    if (why.code !== 'unreached') throw await orGone(to.tab, why);
    await inject(to);
    // The injection may have taken all the remaining time.
    signal.throwIfAborted();
    said = await send(to, passed).catch(async (again: unknown) => {
      throw await orGone(to.tab, undelivered(again));
    });
  }
  const answer = readAnswer(said, passed);
  if (answer.ok) return answer.value;
  throw new MessageError(answer.error.code, answer.error.message, answer.error.hint);
}

async function send({ tab, frame }: ToTab, message: Question): Promise<unknown> {
  const said: unknown = await chrome.tabs.sendMessage(tab, message, { frameId: frame });
  // Another script of ours listens there, as on the welcome page, and left it alone.
  if (said === undefined)
    throw new MessageError('unreached', 'The page is not ready.', 'Try again.');
  return said;
}

/** Injects the content script into a frame, even while its page is loading. */
async function inject({ tab, frame }: ToTab): Promise<void> {
  try {
    await chrome.scripting.executeScript({
      target: { tabId: tab, frameIds: [frame] },
      files: [EXECUTOR],
      injectImmediately: true,
    });
  } catch (error) {
    throw await orGone(tab, refusal(error));
  }
}

/** Returns the same error, or that the tab is gone: the browser reports that in many ways. */
async function orGone(tab: number, why: MessageError): Promise<MessageError> {
  const there = await chrome.tabs.get(tab).catch(() => undefined);
  return there === undefined ? noTab() : why;
}

/** Why the browser refuses to inject a script into a page. */
function refusal(error: unknown): MessageError {
  const text = error instanceof Error ? error.message : String(error);
  if (/showing error page/i.test(text))
    return new MessageError(
      'error_page',
      'The tab shows why its page could not be loaded.',
      'Load it again, or go elsewhere.',
    );
  if (/cannot access|cannot be scripted|extensions gallery|blocked|not allowed/i.test(text))
    return restricted('This page');
  return undelivered(error);
}

/** Throws for a tab whose page cannot run a script. */
function reachable({ url = '', discarded, frozen }: chrome.tabs.Tab): void {
  if (discarded || frozen)
    throw new MessageError(
      'discarded',
      'The browser has put the tab to sleep to save memory.',
      'Look at the tab, or load it again.',
    );
  const what = restrictedName(url);
  if (what !== undefined) throw restricted(what);
}

function restricted(what: string): MessageError {
  return new MessageError(
    'restricted',
    `${what} does not allow extensions.`,
    'Do it by hand, or go on in another tab.',
  );
}

/** The name of a kind of page in which no extension may run; undefined for all others. */
export function restrictedName(address: string): string | undefined {
  const url = URL.parse(address);
  switch (url?.protocol) {
    case undefined:
    case 'about:':
    case 'blob:':
    case 'data:':
    case 'file:':
    case 'http:':
      return undefined; // for these, the browser itself reports an error
    case 'https:':
      return /^chromewebstore\.google\.com$/.test(url.hostname) ||
        (url.hostname === 'chrome.google.com' && url.pathname.startsWith('/webstore'))
        ? 'The web store'
        : undefined;
    case 'chrome-extension:':
      return 'A page of an extension';
    case 'devtools:':
      return 'The developer tools';
    case 'view-source:':
      return 'The source of a page';
    default:
      return `A page of the browser itself (${url?.protocol ?? ''})`;
  }
}
