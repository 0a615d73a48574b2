import { beforeEach, expect, test, vi } from 'vitest';
import { TaskBrowser, type World } from './browser';
import { withoutEnvelopes } from './pagewords';

const signal = new AbortController().signal;

/** A task's browser whose app returns one reply. */
function answering(reply: unknown): TaskBrowser {
  const world: World = {
    connection: { request: () => Promise.resolve(reply as never) },
    task: () => undefined,
    tabs: () => [],
    viewer: () => 'view',
    along: (_, send) => send([]),
    file: () => Promise.resolve(undefined),
    pause: vi.fn(),
  };
  return new TaskBrowser('1', world);
}

beforeEach(() => {
  vi.stubGlobal('chrome', { runtime: { sendMessage: vi.fn() } });
});

test('the page and what happened by itself are read from the data, whatever the text says', async () => {
  const data = {
    url: 'https://a.test/x',
    title: 'A',
    text: 'e1 btn Save\nMeanwhile, by itself:\ndownload: not.csv',
    news: ['console error: it\n  fell', 'download: list.csv'],
  };
  const browser = answering({ ok: true, text: 'in any words', data, durationMs: 1 });
  const seen = await browser.observe('t1', signal);
  expect(seen.text).toMatch(/^<page-[0-9a-f]{16} origin="https:\/\/a.test">\n/);
  expect(withoutEnvelopes(seen.text)).toBe(data.text);
  expect(seen.backgroundEvents?.lines).toEqual(data.news);
  expect(withoutEnvelopes(seen.backgroundEvents?.told ?? '')).toBe(
    'console error: it fell\ndownload: list.csv',
  );
});

test('a page that cannot be seen says what to do in the words of a task', async () => {
  const error = {
    code: 'dialog',
    message: 'tab t1 shows a dialog',
    hint: 'it waits',
    next: [{ command: 'dialog', args: ['accept'], does: 'answers OK' }],
  };
  const browser = answering({ ok: false, text: 'in any words', error, durationMs: 1 });
  expect((await browser.observe('t1', signal)).refused).toEqual({
    code: 'dialog',
    message: 'tab t1 shows a dialog',
    hint: 'it waits; the action dialog with answer accept answers OK',
  });
  expect(await browser.act('t1', { do: 'click', ref: 'e1' }, signal)).toEqual({
    ok: false,
    code: 'dialog',
    text: 'tab t1 shows a dialog: it waits; the action dialog with answer accept answers OK',
    moved: false,
  });
});
