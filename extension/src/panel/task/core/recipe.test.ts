import { describe, expect, it } from 'vitest';
import { performed, stepOf } from './fakes/steps';
import type { Mark } from './element';
import { recordedInWords, filled, recipeOf, secretText, slug, typedIn, withParams } from './recipe';
import type { Action, PerformedAction } from './types';

const mark = (name: string): Mark => ({ kind: 'edit', name, place: [], nth: 1, of: 1 });
const typed = (text: string, name: string): PerformedAction => ({
  ...performed({ do: 'type', ref: 'e1', text }),
  mark: mark(name),
});
const actions = (...deeds: PerformedAction[]): Action[] =>
  recipeOf([stepOf(1, 'g', ...deeds)]).deeds.map(({ action }) => action);

describe('a recipe', () => {
  it('has what changed something and worked, in order', () => {
    expect(
      actions(
        performed({ do: 'read' }),
        performed({ do: 'goto', url: 'https://b.test/' }),
        performed({ do: 'click', ref: 'e1' }, { ok: false }),
        performed({ do: 'ask', question: '?' }),
        performed({ do: 'click', ref: 'e2' }),
        performed({ do: 'done', success: true, text: '' }),
      ),
    ).toEqual([
      { do: 'goto', url: 'https://b.test/' },
      { do: 'click', ref: 'e2' },
    ]);
  });

  it.each([
    ['https://a.test/', 'https://a.test/'],
    ['chrome://newtab/', ''],
  ])('begins at %s as %j', (url, begins) => {
    expect(recipeOf([{ ...stepOf(1, 'g'), url }]).url).toBe(begins);
  });

  it('calls tabs by the order in which they were worked on, not by ids of that day', () => {
    const steps = [
      { ...stepOf(1, 'g', performed({ do: 'switch_tab', tab: 't9' })), tab: 't4' },
      {
        ...stepOf(
          2,
          'g',
          performed({ do: 'close_tab', tab: 't4' }),
          performed({ do: 'close_tab' }),
        ),
        tab: 't9',
      },
    ];
    expect(recipeOf(steps).deeds.map(({ action }) => action)).toEqual([
      { do: 'switch_tab', tab: '#1' },
      { do: 'close_tab', tab: '#0' },
      { do: 'close_tab' },
    ]);
  });

  it('asks for each secret by the name of its field', () => {
    const recipe = recipeOf([
      stepOf(1, 'g', typed(secretText, 'Password'), typed(secretText, 'Password'), typed('x', 'N')),
    ]);
    expect(recipe.params).toEqual([
      { name: 'password', value: '', secret: true },
      { name: 'password2', value: '', secret: true },
    ]);
    expect(recipe.deeds.map(({ action }) => 'text' in action && action.text)).toEqual([
      '${password}',
      '${password2}',
      'x',
    ]);
  });

  it('has no parameter because a text of that day looks like one', () => {
    const [action] = actions(typed('${PATH}', 'Name'));
    expect(action && filled(action, { PATH: '/root' })).toMatchObject({ text: '$ {PATH}' });
  });
});

describe('parameters', () => {
  const recipe = recipeOf([
    stepOf(
      1,
      'g',
      typed('Ada', 'Your name'),
      performed({ do: 'select', ref: 'e2', option: 'Berlin' }),
      performed({ do: 'click', ref: 'e3' }),
      typed('', 'Empty'),
      typed('Ada', 'Your name'),
    ),
  ]);

  it('may be made of what was typed and chosen', () => {
    expect(typedIn(recipe)).toEqual([
      { at: 0, name: 'your_name', value: 'Ada', secret: false },
      { at: 1, name: 'value', value: 'Berlin', secret: false },
      { at: 4, name: 'your_name2', value: 'Ada', secret: false },
    ]);
  });

  it('replace what was typed at their place only, and are filled in again', () => {
    const made = withParams(recipe, typedIn(recipe).slice(0, 1));
    expect(made.params).toEqual([{ name: 'your_name', value: 'Ada', secret: false }]);
    const texts = (values: Record<string, string>) =>
      made.deeds
        .map(({ action }) => filled(action, values))
        .map((one) => 'text' in one && one.text);
    expect(texts({ your_name: 'Bob' })).toEqual(['Bob', false, false, '', 'Ada']);
    expect(texts({})).toEqual(['${your_name}', false, false, '', 'Ada']);
  });

  it('are never what every object has', () => {
    const action: Action = { do: 'goto', url: 'https://a.test/${constructor}' };
    expect(filled(action, {})).toEqual(action);
  });
});

it.each([
  ['Your name', 'your_name'],
  ['Über uns: Straße 7', 'u_ber_uns_stra_e_7'],
  ['  2nd — E-Mail!  ', 'nd_e_mail'],
  ['日本', ''],
  ['a'.repeat(40), 'a'.repeat(30)],
  [`${'a'.repeat(29)} b`, 'a'.repeat(29)],
])('the name of a parameter of %j is %j', (text, name) => {
  expect(slug(text)).toBe(name);
});

it('a recorded action is told by what its element was called', () => {
  expect(recordedInWords({ action: { do: 'click', ref: 'e9' }, mark: mark('Save') })).toBe(
    'Click “Save” (field)',
  );
});
