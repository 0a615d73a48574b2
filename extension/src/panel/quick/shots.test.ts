import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandReply } from '$ui/protocol/protocol';
import type { QuickDesk } from './desk';
import { fakeDesk, type Answers } from './fakes/desk';
import { screenshotAction, sendShot, shots, Shots } from './shots.svelte';
import * as stitching from './stitch';

const image = { kind: 'image', name: 'a.png', mime: 'image/png', data: btoa('png') };
const taken = {
  path: '/shots/1.png',
  width: 800,
  height: 600,
  bytes: 3,
  url: 'https://shop.example/cart?q=1',
  format: 'png',
};
const answers = (part: Answers = {}): Answers => ({
  commands: { screenshot: { data: taken } },
  routes: { '/chat/file': image },
  ...part,
});

let links: string[];
let freed: string[];
beforeEach(() => {
  links = [];
  freed = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
    const link = `blob:${String(links.length)}`;
    links.push(link);
    return link;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((link) => void freed.push(link));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** What the user marked on the page. */
function marks(result: unknown): void {
  const executeScript = (): Promise<unknown> =>
    result instanceof Error ? Promise.reject(result) : Promise.resolve([{ result }]);
  vi.stubGlobal('chrome', { scripting: { executeScript } });
}

describe('a screenshot', () => {
  it('is taken and shown', async () => {
    const { desk, happened } = fakeDesk(answers());
    const all = new Shots();
    await all.take(desk, { annotated: true });
    expect(all.last).toMatchObject({ path: '/shots/1.png', labels: 0, link: 'blob:0' });
    expect(all.last?.args).toEqual({ annotated: true });
    expect(happened).toEqual([
      ['run', 'screenshot', { annotated: true }],
      ['request', '/chat/file', { path: '/shots/1.png' }],
      ['show'],
    ]);
  });

  it('takes the place of the one before, which is freed', async () => {
    const { desk } = fakeDesk(answers());
    const all = new Shots();
    await all.take(desk, {});
    await all.take(desk, {});
    expect([all.last?.link, freed]).toEqual(['blob:1', ['blob:0']]);
  });

  it('that fails leaves the one before, and is not busy', async () => {
    const { desk } = fakeDesk(answers());
    const all = new Shots();
    await all.take(desk, {});
    await expect(all.take(fakeDesk().desk, {})).rejects.toThrow('no screenshot');
    expect([all.last?.link, all.busy]).toEqual(['blob:0', false]);
  });

  it('of a page that is too high is put together from its slices', async () => {
    const replies: Partial<CommandReply>[] = [
      { ok: false, error: { code: 'too_large', message: 'too high', hint: '' } },
      { data: { ...taken, height: 30_000, slices: ['/s/1.png', '/s/2.png'] } },
    ];
    const made = fakeDesk(answers());
    const asked: unknown[] = [];
    const desk = {
      ...made.desk,
      run: (_command: string, args: unknown) => {
        asked.push(args);
        return Promise.resolve({ ok: true, text: '', ...replies.shift() });
      },
    } as QuickDesk;
    const stitch = vi.spyOn(stitching, 'stitch').mockResolvedValue(new Blob(['whole']));
    const all = new Shots();
    await all.take(desk, { full: true, annotated: true });
    expect(asked).toEqual([
      { full: true, annotated: true },
      { annotated: true, slices: true },
    ]);
    expect(stitch.mock.calls[0]?.[0]).toHaveLength(2);
    expect(all.last).toMatchObject({ height: 30_000, bytes: 5 });
  });
});

describe('a region', () => {
  it('is what the user marked', async () => {
    marks({ x: 1.4, y: 2.6, width: 30, height: 40 });
    const { desk, happened } = fakeDesk(answers());
    const all = new Shots();
    await all.region(desk);
    expect(happened).toContainEqual(['run', 'screenshot', { clip: '1,3,30,40' }]);
    expect(all.marking).toBeUndefined();
  });

  it('that was not marked takes nothing', async () => {
    marks(null);
    const { desk, happened } = fakeDesk(answers());
    await new Shots().region(desk);
    expect(happened).toEqual([['show']]);
  });

  it('cannot be marked where the browser does not allow it', async () => {
    marks(new Error('Cannot access'));
    const all = new Shots();
    await expect(all.region(fakeDesk(answers()).desk)).rejects.toThrow(
      'The browser does not let Pilotfish draw on this page.',
    );
    expect(all.marking).toBeUndefined();
  });

  it('is given up without an error when the page is gone', async () => {
    marks(new Error('No tab with id 7'));
    const all = new Shots();
    all.marking = 7;
    await all.cancel();
    expect(all.marking).toBeUndefined();
  });
});

describe('sent to the agent', () => {
  const shot = async (desk: QuickDesk) => {
    await shots(desk).take(desk, {});
    const { last } = shots(desk);
    if (last === undefined) throw new Error('there is no screenshot');
    return last;
  };

  it('a terminal gets its path', async () => {
    const { desk, sent } = fakeDesk(answers());
    await sendShot(desk, await shot(desk), false);
    expect(sent).toEqual([
      { title: 'Screenshot: /shots/1.png', text: '', origin: 'https://shop.example' },
    ]);
  });

  it('Chat gets its parts as images', async () => {
    const data = { ...taken, slices: ['/s/1.png', '/s/2.png'] };
    const { desk, sent } = fakeDesk(answers({ face: 'chat', commands: { screenshot: { data } } }));
    await sendShot(desk, await shot(desk), true);
    expect(sent[0]?.attachments?.map(({ kind, name }) => [kind, name])).toEqual([
      ['image', 'The page, part 1'],
      ['image', 'The page, part 2'],
    ]);
  });
});

it('the action shows that a screenshot is being taken', async () => {
  const { desk } = fakeDesk(answers());
  const taking = shots(desk).take(desk, {});
  expect(screenshotAction.state?.(desk)).toBe('busy');
  await taking;
  expect(screenshotAction.state?.(desk)).toBeUndefined();
});
