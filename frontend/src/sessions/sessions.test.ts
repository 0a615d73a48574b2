import { expect, test } from 'vitest';
import type { Tab } from '$ui/protocol/protocol';
import { nameProblem } from './name';
import { remedies } from './remedies';
import { tabAddress, tabTitle } from './tab';
import { untilNext, uptime } from './uptime';

test.each([
  [-5, '0 s'],
  [42_999, '42 s'],
  [60_000, '1 min'],
  [59 * 60_000, '59 min'],
  [3 * 3_600_000 + 5 * 60_000, '3 h 5 min'],
  [24 * 3_600_000, '1 d'],
  [52 * 3_600_000, '2 d 4 h'],
])('%d ms is %s', (ms, text) => {
  expect(uptime(ms)).toBe(text);
  expect(uptime(Math.max(0, ms) + untilNext(ms))).not.toBe(text);
});

test.each([
  ['work', undefined],
  ['a-1_b', undefined],
  ['', /name/],
  ['  ', /name/],
  ['My Work', undefined],
  ['Größe ändern 🐟', undefined],
  ['default', /already/],
  [' My   shop ', /already/],
])('session name %j', (name, problem) => {
  const found = nameProblem(name, ['default', 'My shop']);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

const blank: Tab = {
  id: 't1',
  url: 'about:blank',
  title: '',
  active: false,
  focused: false,
  loading: false,
  index: 0,
};

test('a tab is called by its title, else its address, else what it is', () => {
  expect(tabTitle({ ...blank, title: ' Hi ' })).toBe('Hi');
  expect(tabTitle({ ...blank, url: 'https://example.com/' })).toBe('example.com');
  expect(tabTitle({ ...blank, loading: true })).toBe('Loading…');
  expect(tabTitle(blank)).toBe('New tab');
  expect(tabAddress({ ...blank, url: 'http://a.b/\u202egnp' })).toBe('a.b/ gnp');
});

test('an error of the app offers no start, one of another session no setting of the default', () => {
  expect(remedies('no_browser')).toEqual(['browser']);
  expect(remedies('no_browser', 'work')).toEqual(['browser', 'start']);
  expect(remedies('profile_in_use', 'work')).toEqual(['start']);
  expect(remedies('profile_in_use', 'default')).toEqual(['start', 'profile']);
  expect(remedies('internal', 'work')).toEqual(['start', 'logs']);
});
