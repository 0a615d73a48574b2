import type { Page } from 'playwright-core';
import type { Cleaned } from '../src/clean/types';
import type { FakeBackend } from './fakes/backend';
import type { State } from './states';

/** A button of the row of quick actions. */
export const quick = (page: Page, name: string | RegExp) =>
  page.getByRole('toolbar', { name: 'Quick actions' }).getByRole('button', { name });

/** What the worker says of a page that was cleaned up. */
export const cleaned: Cleaned = {
  on: true,
  hidden: { ad: 2, notice: 1, bar: 1 },
  unlocked: true,
  site: 'example.com',
  always: false,
};

/** The answers of the fake worker, by what it is asked to do; an error is a message. */
export type Answers = Readonly<Record<'clean' | 'undo' | 'state', Cleaned | string>>;

/** Makes the fake worker answer, and remember what it was asked. */
export async function answerClean(page: Page, answers: Answers): Promise<void> {
  await page.evaluate((given) => {
    const asked: unknown[] = [];
    Object.assign(globalThis, { askedToClean: asked });
    const others = chrome.runtime.sendMessage as (message: unknown) => unknown;
    chrome.runtime.sendMessage = ((message: {
      id: string;
      deadline: number;
      params: { do: keyof Answers } | null;
    }) => {
      if (message.params === null) return others(message);
      asked.push(message.params);
      const value = given[message.params.do];
      const answer = { kind: 'query:response', v: 1, id: message.id, deadline: message.deadline };
      return Promise.resolve(
        typeof value === 'string'
          ? { ...answer, ok: false, error: { code: 'restricted', message: value } }
          : { ...answer, ok: true, value },
      );
    }) as never;
  }, answers);
}

/** A picture of this size, as the backend sends a file. */
export async function picture(page: Page, width: number, height: number, color = '#0f766e') {
  const data = await page.evaluate(
    async ([width, height, color]) => {
      const canvas = new OffscreenCanvas(width, height);
      const pen = canvas.getContext('2d');
      if (pen === null) throw new Error('no canvas');
      pen.fillStyle = color;
      pen.fillRect(0, 0, width, height);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
    },
    [width, height, color] as const,
  );
  return { kind: 'image', name: 't1.png', mime: 'image/png', path: '/s/t1.png', data } as const;
}

/** The reply of `screenshot`. */
export const shot = {
  path: '/home/ada/.local/state/pilotfish/sessions/default/screenshots/t1-0f3c.png',
  format: 'png',
  width: 800,
  height: 600,
  bytes: 48_000,
  url: 'https://example.com/a',
};

/** The reply of `record end`. */
export const recording = {
  running: false,
  held: true,
  frames: 12,
  steps: [
    { do: 'goto', at: '2026-11-26T10:00:00Z', url: 'https://example.com/' },
    { do: 'click', at: '2026-11-26T10:00:31Z', name: 'Pay' },
  ],
};

/** Answers `record`: it starts and ends, and the feed says so. */
export function answerRecord(made: FakeBackend): void {
  made.rooms.answers.set('record', ({ args }) => {
    const { do: what, name, video } = args as Record<string, string | undefined>;
    switch (what) {
      case 'start':
        made.rooms.feed('recordings', { tab: 't1', began: new Date().toISOString(), video: true });
        return { ok: true, data: { running: true, steps: [] } };
      case 'end':
        return { ok: true, data: recording };
      case 'save':
        return {
          ok: true,
          data:
            video === undefined
              ? {
                  ...recording,
                  routine: { path: `/r/${name ?? ''}.json`, bytes: 900, entries: 2 },
                  playwright: { path: `/r/${name ?? ''}.spec.ts`, bytes: 700 },
                }
              : { ...recording, video: { path: `/v/t1.${video}`, bytes: 3_000_000, entries: 12 } },
        };
      default:
        return { ok: true, data: { running: false, steps: [] } };
    }
  });
}

async function ready(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
}

export const toolStates: State[] = [
  {
    name: 'clean-up',
    async act(page) {
      await ready(page);
      await answerClean(page, { clean: cleaned, undo: cleaned, state: cleaned });
      await page.evaluate(() =>
        chrome.storage.local.set({
          'pilotfish.clean.sites': ['a-rather-long-name.example.org', 'b.example'],
        }),
      );
      await quick(page, /^Clean up/).click();
      await page.getByText('4 hidden').waitFor();
      await page.getByText('Sites that are always').click();
    },
  },
  {
    name: 'screenshot',
    async act(page, made) {
      await ready(page);
      made.chat.picture = await picture(page, 800, 600);
      made.rooms.answers.set('screenshot', () => ({ ok: true, data: shot }));
      await quick(page, /^Screenshot/).click();
      await page.getByRole('menuitem', { name: 'Visible part' }).click();
      await page.getByRole('img', { name: 'The screenshot' }).waitFor();
    },
  },
  {
    name: 'recording',
    async act(page, made) {
      answerRecord(made);
      await ready(page);
      await quick(page, /^Record/).click();
      await quick(page, 'End the recording').waitFor();
    },
  },
  {
    name: 'recorded',
    async act(page, made) {
      answerRecord(made);
      await ready(page);
      await quick(page, /^Record/).click();
      await quick(page, 'End the recording').click();
      await page.getByRole('button', { name: 'Save WebM' }).click();
      await page.getByText('Saved: t1.webm.').waitFor();
    },
  },
];
