import * as v from 'valibot';
import { MENU_KEY, readWish, type MenuWish } from '../../messages/menu';
import { quickActions } from './actions';
import type { QuickDesk } from './desk';
import { perform } from './perform';
import { good } from './send';
import { shots } from './shots.svelte';

/** How long a command on the page may take, in milliseconds. */
const patience = 60_000;
/** The longest address that is sent, in characters. */
const longestAddress = 2_000;

/**
 * Follows what the user chooses in the context menus of a window's pages, until `signal` aborts.
 * `ready` says whether it can be done now; `again` calls back when that may have changed.
 */
export function followMenu(
  desk: QuickDesk,
  window: () => number | undefined,
  signal: AbortSignal,
): { again: () => void } {
  const area = chrome.storage.session;
  let taken = '';
  const take = async (): Promise<void> => {
    const kept: unknown = (await area.get(MENU_KEY))[MENU_KEY];
    const wish = readWish(kept, Date.now());
    const ready = desk.live && desk.tab?.chromeTabId === wish?.tab && window() === wish?.window;
    if (wish === undefined || !ready || signal.aborted || wish.id === taken) return;
    taken = wish.id;
    await area.set({ [MENU_KEY]: null });
    await perform(desk, () => carryOut(desk, wish));
  };
  const changed = (changes: Readonly<Record<string, { newValue?: unknown }>>): void => {
    if (changes[MENU_KEY]?.newValue != null) void take();
  };
  area.onChanged.addListener(changed);
  signal.addEventListener('abort', () => {
    area.onChanged.removeListener(changed);
  });
  return { again: () => void take() };
}

/** Does what the user chose. */
async function carryOut(desk: QuickDesk, wish: MenuWish): Promise<void> {
  const { url: origin, text, target } = wish;
  switch (wish.choice) {
    case 'selection':
      desk.send({ title: 'Selected text', text, origin });
      return;
    case 'link':
      desk.send({ title: 'Link', text: text.slice(0, longestAddress), origin });
      return;
    case 'image':
      // An image in an address is not text that an agent can use.
      if (/^(data|blob):/i.test(text))
        throw new Error('This image has no address. Send a screenshot of it instead.');
      desk.send({ title: 'Image', text: text.slice(0, longestAddress), origin });
      return;
    case 'element': {
      const ref = await refOf(desk, known(target));
      const args = { element: ref ?? target, max: 4_000 };
      const { text: facts } = good(await desk.run('inspect', args, { timeout: patience }));
      desk.send({ title: ref === undefined ? 'Element' : `Element ${ref}`, text: facts, origin });
      return;
    }
    case 'inspect':
      desk.open('inspector', await refOf(desk, known(target)));
      return;
    case 'shot':
      await shots(desk).take(desk, { element: known(target) });
      return;
    case 'clean': {
      const clean = quickActions.find(({ id }) => id === 'clean');
      await clean?.run(desk);
    }
  }
}

function known(target: string): string {
  if (target === '')
    throw new Error('It is not known which element was meant. Reload the page and try again.');
  return target;
}

const items = v.object({
  items: v.optional(v.array(v.object({ ref: v.optional(v.string()) }))),
});

/** The ref of a marked element; undefined where a snapshot gives it none. */
async function refOf(desk: QuickDesk, target: string): Promise<string | undefined> {
  const reply = await desk.run('snapshot', { scope: target, items: true }, { timeout: patience });
  const found = reply.ok ? v.safeParse(items, reply.data) : undefined;
  return found?.success === true ? found.output.items?.find(({ ref }) => ref)?.ref : undefined;
}
