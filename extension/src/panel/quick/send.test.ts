import { afterEach, describe, expect, it, vi } from 'vitest';
import { OfflineError } from '../connection/connection';
import { RefusedError } from '../connection/request';
import { fakeDesk, type Answers } from './fakes/desk';
import { perform } from './perform';
import { good, sendChoices, sendRef } from './send';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Chooses an entry of "Send to agent", and waits until it is done. */
async function choose(
  text: string,
  answers: Answers,
): Promise<Pick<ReturnType<typeof fakeDesk>, 'happened' | 'sent'>> {
  const { desk, happened, sent } = fakeDesk(answers);
  const entry = sendChoices(desk).find((one) => one.text === text);
  expect(entry?.disabled).toBe(false);
  entry?.run();
  await vi.waitFor(() => {
    expect(sent.length + happened.filter(([what]) => what === 'say').length).toBe(1);
  });
  return { happened, sent };
}

/** The browser's scripting interface, which finds what is selected in each frame. */
function frames(...results: ({ text: string; url: string } | Error)[]): void {
  const failed = results.find((one) => one instanceof Error);
  const executeScript = (): Promise<unknown> =>
    failed === undefined
      ? Promise.resolve(results.map((result) => ({ result })))
      : Promise.reject(failed);
  vi.stubGlobal('chrome', { scripting: { executeScript } });
}

describe('Send to agent', () => {
  it('is off without a page', () => {
    const off = (answers: Answers): boolean[] =>
      sendChoices(fakeDesk(answers).desk).map(({ disabled }) => disabled === true);
    expect(off({ tab: null })).toEqual([true, true, true, true]);
    expect(off({ live: false })).toEqual([true, true, true, true]);
    expect(off({})).toEqual([false, false, false, false]);
  });

  it('sends what is selected in whichever frame, with where it is from', async () => {
    frames(
      { text: ' ', url: 'https://a.example' },
      { text: 'two\nlines', url: 'https://b.example' },
    );
    const { sent } = await choose('Selected text', {});
    expect(sent).toEqual([
      { title: 'Selected text', text: 'two\nlines', origin: 'https://b.example' },
    ]);
  });

  it('says when nothing is selected, or the page cannot be read', async () => {
    frames({ text: '', url: '' });
    expect((await choose('Selected text', {})).happened).toContainEqual([
      'say',
      'Nothing is selected in the page. Select some text first.',
      'danger',
    ]);
    frames(new Error('Cannot access chrome://'));
    expect((await choose('Selected text', {})).happened).toContainEqual([
      'say',
      'The browser does not let Pilotfish read this page.',
      'danger',
    ]);
  });

  it('sends the facts about a picked element', async () => {
    const { happened, sent } = await choose('An element…', {
      picked: { ref: 'e4', role: 'button', name: 'Pay' },
      commands: { inspect: { text: 'button "Pay"' } },
    });
    expect(happened).toContainEqual(['run', 'inspect', { element: 'e4', max: 4000 }]);
    expect(sent).toEqual([
      { title: 'Element e4', text: 'button "Pay"', origin: 'https://shop.example/cart' },
    ]);
  });

  it('says why an element cannot be described', async () => {
    const { desk } = fakeDesk();
    await expect(sendRef(desk, 'e4')).rejects.toThrow('no inspect try help');
  });

  it('sends the page, more of it to Chat than to a terminal', async () => {
    const data = { url: 'https://shop.example/cart', title: 'Cart', text: '# Cart', length: 6 };
    for (const [face, max] of [
      ['chat', 200_000],
      ['terminal', 64_000],
    ] as const) {
      const { happened, sent } = await choose('Page as Markdown', {
        face,
        commands: { markdown: { data } },
      });
      expect(sent).toEqual([{ title: 'Page as Markdown', text: '# Cart', origin: data.url }]);
      const asked = happened.find(([what]) => what === 'run')?.[2] as { max: number };
      if (face === 'chat') expect(asked.max).toBe(max);
      else expect(asked.max).toBeLessThan(200_000);
    }
  });

  it('sends a screenshot as an image to Chat, as a path to a terminal', async () => {
    const image = { kind: 'image', name: 'a.png', mime: 'image/png', data: 'AAAA' };
    const chat = await choose('Screenshot', {
      face: 'chat',
      routes: { '/chat/screenshot': image },
    });
    expect(chat.sent[0]?.attachments).toEqual([image]);
    const size = { width: 8, height: 6, bytes: 99 };
    const data = { path: '/shots/1.png', format: 'png', ...size, url: 'https://shop.example/cart' };
    const terminal = await choose('Screenshot', { commands: { screenshot: { data } } });
    expect(terminal.sent[0]?.title).toBe('Screenshot of t1: /shots/1.png');
  });
});

it('a reply that succeeded is given on, another one is thrown', () => {
  const reply = { ok: true, text: 'done', durationMs: 1 };
  expect(good(reply)).toBe(reply);
  expect(() => good({ ok: false, text: 'why', durationMs: 1 })).toThrow('why');
});

describe('what goes wrong is said to the user', () => {
  it.each([
    [
      new RefusedError({ code: 'bad_argument', message: 'No such tab.', hint: 'Open it.' }, 400),
      'No such tab. Open it.',
    ],
    [new OfflineError(), 'Pilotfish is not connected. Try again when it is connected.'],
    [new DOMException('late', 'TimeoutError'), 'Pilotfish did not respond in time. Try again.'],
    [new Error('plain'), 'plain'],
  ])('%s', async (error, want) => {
    const { desk, happened } = fakeDesk();
    await perform(desk, () => {
      throw error;
    });
    expect(happened).toEqual([['say', want, 'danger']]);
  });
});
