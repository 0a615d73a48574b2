import { expect, test } from 'vitest';
import type { SessionInfo, Tab } from '$ui/protocol/protocol';
import { nameProblem } from './name';
import { ownBrowser, stateWord } from './own';
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
  expect(remedies('no_browser', 'mine', true)).toEqual(['start']);
  expect(remedies('refused', 'mine', true)).toEqual(['start']);
});

const stopped: SessionInfo = {
  name: 'mine',
  state: 'stopped',
  warnings: [],
  panel: 'absent',
  tabs: [],
  terminals: [],
};

test('the own browser is called by what is known of it', () => {
  const browser = { version: '', path: '', pid: 0, sandbox: true };
  const attached = { ...browser, name: 'Google Chrome', attached: true };
  const folder = { identity: { browser: '/home/ada/.config/x' } };
  expect(ownBrowser(stopped)).toBeUndefined();
  expect(ownBrowser({ ...stopped, identity: { browser: 'my-chrome' } })).toBe('Your own Chrome');
  expect(ownBrowser({ ...stopped, identity: { browser: 'edge' } })).toBe('Your Microsoft Edge');
  expect(ownBrowser({ ...stopped, identity: { browser: 'in:work' } })).toBeUndefined();
  expect(ownBrowser({ ...stopped, identity: { browser: 'my-chrome' }, browser: attached })).toBe(
    'Your Google Chrome',
  );
  const attaching = { browser: 'Brave', step: 'allow' } as const;
  expect(ownBrowser({ ...stopped, identity: { browser: 'my-chrome' }, attaching })).toBe(
    'Your Brave',
  );
  expect(ownBrowser({ ...stopped, ...folder, browser: attached })).toBe(
    'Your browser in /home/ada/.config/x',
  );
});

test('a session that waits for its user says so, and one that lost its browser', () => {
  const identity = { browser: 'chrome' };
  const word = (part: Partial<SessionInfo>) => stateWord({ ...stopped, ...part }).text;
  expect(word({ state: 'starting' })).toBe('Starting…');
  expect(
    word({ state: 'starting', attaching: { browser: 'Google Chrome', step: 'allow' }, identity }),
  ).toBe('Waiting for you');
  expect(
    word({ state: 'stopping', attaching: { browser: 'Google Chrome', step: 'allow' }, identity }),
  ).toBe('Stopping…');
  expect(word({ state: 'background' })).toBe('Runs without a window');
  expect(word({ state: 'background', identity })).toBe('Not connected');
});
