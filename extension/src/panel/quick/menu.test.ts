import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MENU_KEY, type MenuChoice, type MenuWish } from '../../messages/menu';
import { fakeDesk, type Answers } from './fakes/desk';
import { followMenu } from './menu';

type Changed = (changes: Record<string, { newValue?: unknown }>) => void;

let kept: Record<string, unknown>;
let listeners: Set<Changed>;
let reads: number;

beforeEach(() => {
  kept = {};
  listeners = new Set();
  reads = 0;
  const session = {
    get: (key: string) => {
      reads += 1;
      return Promise.resolve({ [key]: kept[key] });
    },
    set: (values: Record<string, unknown>) => {
      Object.assign(kept, values);
      return Promise.resolve();
    },
    onChanged: {
      addListener: (one: Changed) => listeners.add(one),
      removeListener: (one: Changed) => listeners.delete(one),
    },
  };
  vi.stubGlobal('chrome', { storage: { session } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const wish = (choice: MenuChoice, part: Partial<MenuWish> = {}): MenuWish => ({
  id: 'w1',
  choice,
  window: 3,
  tab: 7,
  at: Date.now(),
  url: 'https://shop.example/cart',
  text: '',
  target: '',
  ...part,
});

/** The worker leaves a choice, as it does for a panel that is open. */
function leave(one: MenuWish): void {
  kept[MENU_KEY] = one;
  for (const changed of listeners) changed({ [MENU_KEY]: { newValue: one } });
}

function follow(answers: Answers = {}, window = 3) {
  const made = fakeDesk(answers);
  const end = new AbortController();
  const { again } = followMenu(made.desk, () => window, end.signal);
  return { ...made, again, end };
}

describe('a choice in the context menu of a page', () => {
  it.each<[MenuChoice, Partial<MenuWish>, object]>([
    ['selection', { text: 'two\nlines' }, { title: 'Selected text', text: 'two\nlines' }],
    ['link', { text: 'https://a.example' }, { title: 'Link', text: 'https://a.example' }],
    [
      'image',
      { text: 'https://a.example/i.png' },
      { title: 'Image', text: 'https://a.example/i.png' },
    ],
  ])('%s goes to the agent with where it is from', async (choice, part, want) => {
    const { sent } = follow();
    leave(wish(choice, part));
    await vi.waitFor(() => {
      expect(sent).toEqual([{ ...want, origin: 'https://shop.example/cart' }]);
    });
    expect(kept[MENU_KEY]).toBeNull();
  });

  it('of an image without an address says what to do instead', async () => {
    const { happened, sent } = follow();
    leave(wish('image', { text: 'data:image/png;base64,AAAA' }));
    await vi.waitFor(() => {
      expect(happened).toEqual([
        ['say', 'This image has no address. Send a screenshot of it instead.', 'danger'],
      ]);
    });
    expect(sent).toEqual([]);
  });

  it('of an element sends its facts under the ref that agents use', async () => {
    const { sent } = follow({
      commands: {
        snapshot: { data: { items: [{}, { ref: 'e4' }] } },
        inspect: { text: 'button "Pay"' },
      },
    });
    leave(wish('element', { target: '[data-x]' }));
    await vi.waitFor(() => {
      expect(sent[0]).toMatchObject({ title: 'Element e4', text: 'button "Pay"' });
    });
  });

  it('of an element without a ref sends its facts by its mark', async () => {
    const { happened, sent } = follow({ commands: { inspect: { text: 'a div' } } });
    leave(wish('element', { target: '[data-x]' }));
    await vi.waitFor(() => {
      expect(sent[0]).toMatchObject({ title: 'Element', text: 'a div' });
    });
    expect(happened).toContainEqual(['run', 'inspect', { element: '[data-x]', max: 4000 }]);
  });

  it('to inspect opens the room at the element', async () => {
    const { happened } = follow({ commands: { snapshot: { data: { items: [{ ref: 'e9' }] } } } });
    leave(wish('inspect', { target: '[data-x]' }));
    await vi.waitFor(() => {
      expect(happened).toContainEqual(['open', 'inspector', 'e9']);
    });
  });

  it('says when the element is not known', async () => {
    const { happened } = follow();
    leave(wish('inspect'));
    await vi.waitFor(() => {
      expect(happened).toEqual([
        [
          'say',
          'It is not known which element was meant. Reload the page and try again.',
          'danger',
        ],
      ]);
    });
  });
});

describe('a choice is left alone', () => {
  it.each<[string, Answers, number, Partial<MenuWish>]>([
    ['by the panel of another window', {}, 4, {}],
    ['while another tab is in front', {}, 3, { tab: 8 }],
    ['while the backend is away', { live: false }, 3, {}],
    ['when it is too old', {}, 3, { at: 0 }],
  ])('%s', async (_why, answers, window, part) => {
    const { sent, again } = follow(answers, window);
    leave(wish('selection', { text: 'a', ...part }));
    again();
    await new Promise((done) => setImmediate(done));
    expect(sent).toEqual([]);
    expect(kept[MENU_KEY]).not.toBeNull();
  });

  it('after the panel has gone', async () => {
    const { sent, end } = follow();
    end.abort();
    expect(listeners.size).toBe(0);
    leave(wish('selection', { text: 'a' }));
    await new Promise((done) => setImmediate(done));
    expect(sent).toEqual([]);
  });
});

it('a panel that opens later takes the choice, once', async () => {
  const one = wish('selection', { text: 'a' });
  kept[MENU_KEY] = one;
  const { sent, again } = follow();
  again();
  await vi.waitFor(() => {
    expect(sent).toHaveLength(1);
  });
  kept[MENU_KEY] = one; // reported twice
  again();
  expect(reads).toBe(2);
  await new Promise((done) => setImmediate(done)); // what was read is acted on
  expect([sent.length, kept[MENU_KEY]]).toEqual([1, one]);
});
