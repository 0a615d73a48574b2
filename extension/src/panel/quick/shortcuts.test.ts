import { describe, expect, it } from 'vitest';
import { allKeysOf, keysOf, matches } from './shortcuts';

const none = { key: '', ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
const ctrl = { ...none, ctrlKey: true };
const meta = { ...none, metaKey: true };
const palette = { letter: 'K', plain: true };
const clean = { letter: 'L' };

describe('a shortcut', () => {
  it('leaves Ctrl with a letter to the program of a terminal', () => {
    expect(matches({ ...ctrl, key: 'k' }, palette, false, true)).toBe(false);
    expect(matches({ ...ctrl, key: 'k' }, palette, false, false)).toBe(true);
    expect(matches({ ...ctrl, key: 'K', shiftKey: true }, palette, false, true)).toBe(true);
  });
  it('uses Command on a Mac, also in a terminal, and leaves Control alone', () => {
    expect(matches({ ...meta, key: 'k' }, palette, true, true)).toBe(true);
    expect(matches({ ...ctrl, key: 'k' }, palette, true, false)).toBe(false);
    expect(matches({ ...meta, key: 'l' }, clean, true, false)).toBe(false);
    expect(matches({ ...meta, key: 'L', shiftKey: true }, clean, true, true)).toBe(true);
  });
  it('needs Shift unless it says otherwise, and no Alt', () => {
    expect(matches({ ...ctrl, key: 'l' }, clean, false, false)).toBe(false);
    expect(matches({ ...ctrl, key: 'L', shiftKey: true }, clean, false, false)).toBe(true);
    expect(matches({ ...ctrl, key: 'K', altKey: true }, palette, false, false)).toBe(false);
    expect(matches({ ...ctrl, metaKey: true, key: 'k' }, palette, false, false)).toBe(false);
    expect(matches({ ...none, key: 'k' }, palette, false, false)).toBe(false);
  });
  it('is shown as the user presses it', () => {
    expect(keysOf(palette, false)).toBe('Ctrl+K');
    expect(keysOf(palette, true)).toBe('⌘K');
    expect(keysOf(clean, true)).toBe('⇧⌘L');
    expect(allKeysOf(palette, false)).toEqual(['Ctrl+K', 'Ctrl+Shift+K']);
    expect(allKeysOf(clean, false)).toEqual(['Ctrl+Shift+L']);
  });
});
