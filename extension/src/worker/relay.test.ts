import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answerTo, question, type Answer, type Question } from '../messages/envelope';
import type { ToTab } from '../messages/methods';
import { answerPanels, restrictedName } from './relay';

const own = 'ownownownownownownownownownownow';
const panel = { id: own, url: `chrome-extension://${own}/panel.html` };
const to: ToTab = { tab: 7, frame: 3, kind: 'cs:rpc', method: 'click', params: { ref: 'f03e1' } };
const nobody = new Error('Could not establish connection. Receiving end does not exist.');

type Listener = (message: unknown, sender: object, reply: (answer: Answer) => void) => boolean;

let listener: Listener;
const get = vi.fn();
const sendMessage = vi.fn();
const executeScript = vi.fn();

beforeEach(() => {
  get.mockResolvedValue({ id: 7, url: 'https://example.com/', discarded: false, frozen: false });
  sendMessage.mockImplementation((_: number, message: Question) =>
    Promise.resolve(answerTo(message, { ok: true, value: 'done' })),
  );
  executeScript.mockResolvedValue([]);
  vi.stubGlobal('chrome', {
    runtime: {
      id: own,
      onMessage: { addListener: (one: Listener) => (listener = one) },
    },
    tabs: { get, sendMessage },
    scripting: { executeScript },
  });
  answerPanels();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

function call(): Promise<Answer> {
  return new Promise((resolve) => {
    listener(question('rpc:call', 'tab', to, Date.now() + 60_000, 'q1'), panel, resolve);
  });
}

it('passes a question on as it is, and its answer back', async () => {
  const answer = await call();
  expect(answer).toMatchObject({ id: 'q1', ok: true, value: 'done' });
  const [tab, message, where] = sendMessage.mock.calls[0] as [number, Question, object];
  expect({ tab, where }).toEqual({ tab: 7, where: { frameId: 3 } });
  expect(message).toMatchObject({ id: 'q1', kind: 'cs:rpc', method: 'click', params: to.params });
  expect(executeScript).not.toHaveBeenCalled();
});

it('puts the content script where nobody listens, and asks once more', async () => {
  sendMessage.mockRejectedValueOnce(nobody);
  expect(await call()).toMatchObject({ ok: true });
  expect(executeScript).toHaveBeenCalledExactlyOnceWith({
    target: { tabId: 7, frameIds: [3] },
    files: ['executor.js'],
    injectImmediately: true,
  });
  expect(sendMessage).toHaveBeenCalledTimes(2);
});

it('puts it beside another script of ours that leaves the question alone', async () => {
  sendMessage.mockResolvedValueOnce(undefined);
  expect(await call()).toMatchObject({ ok: true });
  expect(executeScript).toHaveBeenCalledOnce();
  expect(sendMessage).toHaveBeenCalledTimes(2);
});

it('never sends twice what was heard', async () => {
  sendMessage.mockRejectedValueOnce(
    new Error('The message port closed before a response was received.'),
  );
  expect(await call()).toMatchObject({ ok: false, error: { code: 'lost' } });
  expect(sendMessage).toHaveBeenCalledTimes(1);
  expect(executeScript).not.toHaveBeenCalled();
});

it('says in words why there is nobody to ask', async () => {
  get.mockResolvedValueOnce({ id: 7, url: 'https://example.com/', discarded: true });
  expect(await call()).toMatchObject({ error: { code: 'discarded' } });
  get.mockResolvedValueOnce({ id: 7, url: 'chrome://settings/' });
  expect(await call()).toMatchObject({ error: { code: 'restricted' } });
  get.mockRejectedValueOnce(new Error('No tab with id: 7.'));
  expect(await call()).toMatchObject({ error: { code: 'no_tab' } });
  expect(sendMessage).not.toHaveBeenCalled();
  for (const [says, code] of [
    ['Cannot access contents of url "about:blank".', 'restricted'],
    ['The extensions gallery cannot be scripted.', 'restricted'],
    ['Frame with ID 0 is showing error page', 'error_page'],
    ['Frame with ID 3 was removed.', 'unreached'],
  ] as const) {
    sendMessage.mockRejectedValueOnce(nobody);
    executeScript.mockRejectedValueOnce(new Error(says));
    expect(await call()).toMatchObject({ ok: false, error: { code } });
  }
});

it('names the pages that no extension may be in', () => {
  const named: Record<string, string | undefined> = {
    'chrome://settings/': 'A page of the browser itself (chrome:)',
    'chrome-extension://abc/x.html': 'A page of an extension',
    'devtools://devtools/bundled/': 'The developer tools',
    'view-source:https://example.com/': 'The source of a page',
    'https://chromewebstore.google.com/detail/x': 'The web store',
    'https://chrome.google.com/webstore/x': 'The web store',
    'https://chrome.google.com/other': undefined,
    'https://example.com/': undefined,
    'http://127.0.0.1:80/': undefined,
    'about:blank': undefined,
    'data:text/html,x': undefined,
  };
  for (const [url, name] of Object.entries(named)) expect(restrictedName(url)).toBe(name);
});
