import { describe, expect, it } from 'vitest';
import { search, type Entry } from './entries';

const entry = (text: string, part: Partial<Entry> = {}): Entry => ({
  id: text,
  group: 'Action',
  text,
  icon: 'bolt',
  run: () => undefined,
  ...part,
});
const found = (query: string, recent: string[], ...all: Entry[]): string[] =>
  search(all, query, recent).map((one) => one.entry.text);

describe('what the palette finds', () => {
  it('shows without a query what was chosen last, then everything in its order', () => {
    expect(found(' ', ['c', 'b', 'gone'], entry('a'), entry('b'), entry('c'))).toEqual([
      'c',
      'b',
      'a',
    ]);
  });
  it('puts what was chosen lately before what matches as well', () => {
    expect(found('open', ['open b'], entry('open a'), entry('open b'))[0]).toBe('open b');
    expect(found('open', ['reopen'], entry('open a'), entry('reopen'))[0]).toBe('open a');
  });
  it('puts a short text first, and what cannot be chosen last', () => {
    const dark = entry('Theme: dark');
    expect(found('thdk', [], entry('Theme: same as the desktop'), dark)[0]).toBe('Theme: dark');
    expect(found('a', [], entry('a', { disabled: true }), entry('xa'))).toEqual(['xa', 'a']);
  });
  it('puts a name that was typed in full first', () => {
    const pages = entry('Pages of Settings', { group: 'Settings' });
    const all = [pages, entry('Settings: theme'), entry('Settings')];
    expect(found(' settings ', ['Settings: theme', 'Pages of Settings'], ...all)[0]).toBe(
      'Settings',
    );
    const send = [entry('Send to agent: page'), entry('Send to agent…')];
    expect(found('Send to agent', ['Send to agent: page'], ...send)[0]).toBe('Send to agent…');
  });
  it('searches the kind and the address, too, but not letter by letter', () => {
    const tab = entry('Orders', { group: 'Tab', about: 'https://shop.example/list' });
    expect(found('tab shop', [], tab)).toEqual(['Orders']);
    expect(found('orders list', [], tab)).toEqual(['Orders']);
    expect(found('shpx', [], tab)).toEqual([]);
  });
});
