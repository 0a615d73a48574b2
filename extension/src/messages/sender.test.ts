import { describe, expect, it } from 'vitest';
import { isWelcomePage, maySend, type Sender } from './sender';

const own = 'ownownownownownownownownownownow';
const ours = `chrome-extension://${own}`;
const tab = { id: 7 } as chrome.tabs.Tab;
const panel: Sender = { id: own, url: `${ours}/panel.html?x`, origin: ours };
const worker: Sender = { id: own, url: `${ours}/worker.js`, origin: ours };
const script: Sender = {
  id: own,
  url: 'https://example.com/',
  origin: 'https://example.com',
  tab,
  frameId: 0,
};
const kinds = ['rpc:call', 'cs:rpc', 'cs:query', 'tab:event'] as const;

/** The kinds that a sender may send. */
const allowed = (sender: Sender): string[] => kinds.filter((kind) => maySend(kind, sender, own));

describe('who may send what', () => {
  it('lets the panel call, the worker ask tabs, and content scripts tell', () => {
    expect(allowed(panel)).toEqual(['rpc:call']);
    // The panel may also run in a tab.
    expect(allowed({ ...panel, tab, frameId: 0 })).toEqual(['rpc:call']);
    expect(allowed({ ...panel, url: `${ours}/tasks.html` })).toEqual(['rpc:call']);
    expect(allowed(worker)).toEqual(['cs:rpc', 'cs:query', 'tab:event']);
    expect(allowed(script)).toEqual(['tab:event']);
    expect(allowed({ ...script, frameId: 3 })).toEqual(['tab:event']);
  });

  it('lets nobody else send anything', () => {
    for (const sender of [
      {},
      { ...panel, id: 'another' },
      { ...worker, id: 'another' },
      { ...script, id: 'another' },
      { ...panel, url: `${ours}/other.html` },
      { ...panel, url: `https://example.com/panel.html` },
      { ...panel, url: `${ours}.evil.example/panel.html` },
      { ...panel, origin: 'https://example.com' },
      { ...worker, tab },
      { ...script, frameId: undefined },
      { ...script, tab: undefined },
    ] as Sender[])
      expect(allowed(sender)).toEqual([]);
  });
});

it('knows the welcome page by its port', () => {
  expect(isWelcomePage('http://127.0.0.1:81/welcome', 81)).toBe(true);
  expect(isWelcomePage('http://127.0.0.1:82/welcome', 81)).toBe(false);
  expect(isWelcomePage('http://127.0.0.1:81/health', 81)).toBe(false);
  expect(isWelcomePage(undefined, 81)).toBe(false);
});
