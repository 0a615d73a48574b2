import { describe, expect, it } from 'vitest';
import type { Setting, Settings, SettingsRegistry } from '$ui/protocol/protocol';
import {
  applies,
  defaultText,
  found,
  isChanged,
  matches,
  same,
  topOf,
  valueAt,
  withValue,
} from './registry';

const settings = {
  theme: 'dark',
  port: 0,
  chatRouting: { instant: true, words: { shop: 'claude' } },
} as unknown as Settings;

const setting = (part: Partial<Setting>): Setting => ({
  name: 'theme',
  field: 'theme',
  group: 'look',
  label: 'Theme',
  explanation: 'Light or dark.',
  kind: 'choice',
  default: 'system',
  ...part,
});

describe('a value in the settings', () => {
  it.each([
    ['theme', 'dark'],
    ['chatRouting.instant', true],
    ['chatRouting.words.shop', 'claude'],
    ['chatRouting.none.deep', undefined],
    ['theme.deep', undefined],
  ])('at %s is read', (field, want) => {
    expect(valueAt(settings, field)).toBe(want);
  });

  it('is replaced in a copy', () => {
    const next = withValue(settings, 'chatRouting.words.shop', 'pilot');
    expect(valueAt(next, 'chatRouting.words.shop')).toBe('pilot');
    expect(valueAt(next, 'chatRouting.instant')).toBe(true);
    expect(valueAt(settings, 'chatRouting.words.shop')).toBe('claude');
    expect(valueAt(withValue(settings, 'new.place', 1), 'new.place')).toBe(1);
  });

  it('belongs to the first part of its place', () => {
    expect([topOf('theme'), topOf('chatRouting.words.shop')]).toEqual(['theme', 'chatRouting']);
  });
});

it('a setting is changed when it differs from a new installation', () => {
  expect(isChanged(settings, setting({}))).toBe(true);
  expect(isChanged(settings, setting({ default: 'dark' }))).toBe(false);
  expect(same({ a: [1] }, { a: [1] })).toBe(true);
  expect(same([1, 2], [2, 1])).toBe(false);
});

describe('a setting with a condition', () => {
  it.each([
    [undefined, true],
    [{ field: 'theme', is: 'dark' }, true],
    [{ field: 'theme', is: 'light' }, false],
    [{ field: 'theme', not: 'dark' }, false],
    [{ field: 'chatRouting.instant', is: 'true' }, true],
  ])('%j applies: %j', (when, want) => {
    expect(applies(settings, setting(when === undefined ? {} : { when }))).toBe(want);
  });
});

describe('the default in words', () => {
  const choices = [{ value: 'system', text: 'Same as the desktop' }];
  it.each<[Partial<Setting>, string]>([
    [{ kind: 'switch', default: true }, 'on'],
    [{ kind: 'switch', default: false }, 'off'],
    [{ choices }, 'Same as the desktop'],
    [{ kind: 'agent', default: '' }, 'automatic'],
    [{ kind: 'number', default: 30, unit: 'min' }, '30 min'],
    [{ kind: 'number', default: 5 }, '5'],
    [{ kind: 'text', default: '' }, 'empty'],
    [{ kind: 'text', default: '', empty: 'any free port' }, 'any free port'],
    [{ kind: 'text', default: 'bash' }, 'bash'],
  ])('%j', (part, want) => {
    expect(defaultText(setting(part))).toBe(want);
  });
});

describe('the search', () => {
  const registry: SettingsRegistry = {
    file: '/s.toml',
    groups: [
      { id: 'look', title: 'Appearance' },
      { id: 'other', title: 'Other' },
    ],
    settings: [
      setting({ choices: [{ value: 'light', text: 'Always light' }] }),
      setting({ name: 'size', label: 'Text size', explanation: 'In points.' }),
      setting({ name: 'hidden', label: 'Text', when: { field: 'theme', is: 'light' } }),
      setting({ name: 'port', label: 'Text port', group: 'other' }),
    ],
  };
  const names = (group: string, query: string): string[] =>
    found(registry, settings, group, query).map(({ name }) => name);

  it.each([
    ['look', '', ['theme', 'size']],
    ['look', 'TEXT points', ['size']],
    ['look', 'always', ['theme']],
    ['look', 'appearance size', ['size']],
    ['other', 'text', ['port']],
    ['look', 'nothing', []],
  ])('in %s for %j', (group, query, want) => {
    expect(names(group, query)).toEqual(want);
  });

  it('needs every word, in any of the texts', () => {
    expect(matches('a b', 'xa', undefined, 'bx')).toBe(true);
    expect(matches('a c', 'xa', 'bx')).toBe(false);
  });
});
