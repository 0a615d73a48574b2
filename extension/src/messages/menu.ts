/**
 * What the user chose in the context menu of a page. The worker leaves it in the extension's
 * session storage, which no page and no content script can read or write, because the panel may
 * have to open first. The panel of the window takes it from there, once.
 */

/** The key in chrome.storage.session. */
export const MENU_KEY = 'pilotfish.menu';

/** How long a choice waits for a panel, in milliseconds: a panel opens in about a second. */
export const MENU_WAIT = 15_000;

/** What can be chosen. */
export type MenuChoice = 'selection' | 'link' | 'image' | 'element' | 'inspect' | 'shot' | 'clean';

const choices: readonly string[] = [
  'selection',
  'link',
  'image',
  'element',
  'inspect',
  'shot',
  'clean',
] satisfies readonly MenuChoice[];

/** One choice. */
export interface MenuWish {
  readonly id: string;
  readonly choice: MenuChoice;
  /** Chrome's ids of the window and the tab. */
  readonly window: number;
  readonly tab: number;
  /** When it was chosen, like Date.now. */
  readonly at: number;
  /** The page, or the frame, that the menu was opened in. */
  readonly url: string;
  /** The selected text, or the address of the link or image. */
  readonly text: string;
  /** A selector that means the element under the pointer; empty if it is not known. */
  readonly target: string;
}

/** Reads a stored choice; undefined for anything else, and for one that is too old. */
export function readWish(value: unknown, now: number): MenuWish | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const wish = value as Partial<Record<keyof MenuWish, unknown>>;
  const known =
    [wish.id, wish.choice, wish.url, wish.text, wish.target].every(
      (one) => typeof one === 'string',
    ) && [wish.window, wish.tab, wish.at].every((one) => typeof one === 'number');
  if (!known || !choices.includes(wish.choice as string)) return undefined;
  return (wish.at as number) + MENU_WAIT < now ? undefined : (value as MenuWish);
}
