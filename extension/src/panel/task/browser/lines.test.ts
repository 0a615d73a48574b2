import { expect, it } from 'vitest';
import type { Mark } from '../core/element';
import type { RecordedAction, Recipe } from '../core/recipe';
import { linesOf, locator } from './lines';

const mark = (part: Partial<Mark> = {}): Mark => ({
  kind: 'btn',
  name: 'Save',
  place: [],
  nth: 1,
  of: 1,
  ...part,
});
const recipe = (deeds: readonly RecordedAction[], url = ''): Recipe => ({ url, deeds, params: [] });

it.each<[Partial<Mark>, string]>([
  [{}, 'role=button name="Save"'],
  [{ kind: 'edit' }, 'role=edit name="Save"'],
  [{ kind: 'click' }, 'text="Save"'],
  [{ name: '' }, 'role=button'],
  [{ nth: 2, of: 3 }, 'role=button name="Save" nth=2'],
  [{ name: 'say "hi" \\o/' }, 'role=button name="say \\"hi\\" \\\\o/"'],
])('the element %j is %s', (part, target) => {
  expect(locator(mark(part))).toBe(target);
});

it('a recipe is a line for each command, elements by what they are called', () => {
  expect(
    linesOf(
      recipe(
        [
          { action: { do: 'click', ref: 'e1', count: 2 }, mark: mark() },
          {
            action: { do: 'type', ref: 'e2', text: 'a "b"\nc' },
            mark: mark({ kind: 'edit', name: 'N' }),
          },
          {
            action: { do: 'drag', ref: 'e1', to: 'e2' },
            mark: mark({ name: 'A' }),
            toMark: mark({ name: 'B' }),
          },
          { action: { do: 'press', keys: 'Enter' } },
        ],
        'https://a.test/',
      ),
    ),
  ).toEqual([
    'goto "https://a.test/"',
    'click "role=button name=\\"Save\\"" --count="2"',
    'type "role=edit name=\\"N\\"" "a \\"b\\" c" --clear',
    'drag "role=button name=\\"A\\"" "role=button name=\\"B\\""',
    'press "Enter"',
  ]);
});

it('without an address it begins where it is', () => {
  expect(linesOf(recipe([{ action: { do: 'back' } }]))).toEqual(['back']);
});

it('lines cannot say what is done in other tabs', () => {
  expect(linesOf(recipe([{ action: { do: 'switch_tab', tab: '#1' } }], 'https://a.test/'))).toEqual(
    [],
  );
});
