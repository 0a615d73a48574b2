import type { ElementItem } from '$ui/protocol/protocol';
import type { FakeBackend } from './fakes/backend';
import type { State } from './states';

/** The page that the fake backend's tab shows, as the feed of its elements. */
export const list: readonly ElementItem[] = [
  { kind: 'new', url: 'https://example.com/', title: 'Example Domain' },
  ...(
    [
      ['e1', 'link', 'More information about this domain and everything that belongs to it'],
      ['e2', 'searchbox', 'Search', ['focused'], 'pilot'],
      ['e3', 'button', 'Save', [], undefined, 'Address'],
      ['e4', 'button', 'Save', ['disabled'], undefined, 'Payment'],
      ['e5', 'checkbox', 'Send me news', ['checked', 'covered by div.banner "We use cookies"']],
      ['f1e1', 'button', 'Pay \u202enow'],
    ] as [string, string, string, string[]?, string?, string?][]
  ).map(([ref, role, name, states, value, context], at, all): ElementItem => ({
    kind: 'put',
    element: {
      ref,
      role,
      name,
      ...(states && states.length > 0 && { states }),
      ...(value !== undefined && { value }),
      ...(context !== undefined && { context }),
    },
    after: all[at - 1]?.[0] ?? '',
  })),
];

/** The text of a snapshot. */
export const snapshot = `<page-1a2b3c4d5e6f7a8b origin="https://example.com">
page "Example Domain" https://example.com/ 1280x713 [↑0 ↓120]
e1 lnk "More information"
e2 search Search [focused] =pilot
</page-1a2b3c4d5e6f7a8b>`;

/** Fills the room Elements of a backend. */
export function furnish(made: FakeBackend): void {
  made.rooms.feed('elements', ...list);
  for (const command of ['click', 'hover', 'focus', 'fill'])
    made.rooms.answers.set(command, () => ({ ok: true, text: `${command} done` }));
  made.rooms.answers.set('snapshot', ({ args }) => ({
    ok: true,
    text: args?.interactive === true ? 'only two' : snapshot,
  }));
}

/** What axe checks of the room. */
export const elementsStates: readonly State[] = [
  {
    name: 'elements',
    prepare: furnish,
    act: async (page) => {
      await page.getByRole('tab', { name: 'Elements' }).click();
      await page.locator('#element-e2').click();
      await page.getByRole('button', { name: 'Fill' }).waitFor();
    },
  },
  {
    name: 'elements-gone',
    prepare: (made) => {
      furnish(made);
    },
    act: async (page, made) => {
      await page.getByRole('tab', { name: 'Elements' }).click();
      await page.locator('#element-e4').click();
      made.rooms.feed('elements', { kind: 'gone', ref: 'e4' });
      await page.getByText('e4 is not on the page any more.').waitFor();
    },
  },
  {
    name: 'elements-text',
    prepare: furnish,
    act: async (page) => {
      await page.getByRole('tab', { name: 'Elements' }).click();
      await page.getByRole('button', { name: 'Show the text that an agent gets' }).click();
      await page.getByText('characters, about').waitFor();
    },
  },
];
