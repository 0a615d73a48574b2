import { expect, it } from 'vitest';
import { modifiersOf, readChords } from './keys';

it.each([
  ['enter', [['Enter', '']]],
  [
    'Esc  del',
    [
      ['Escape', ''],
      ['Delete', ''],
    ],
  ],
  [
    'Control+A Delete',
    [
      ['A', 'Control'],
      ['Delete', ''],
    ],
  ],
  ['Ctrl+Shift+left', [['ArrowLeft', 'Ctrl+Shift']]],
  ['+', [['+', '']]],
  ['Control++', [['+', 'Control']]],
  [
    'space F12 é',
    [
      [' ', ''],
      ['F12', ''],
      ['é', ''],
    ],
  ],
])('%j is %j', (keys, chords) => {
  expect(readChords(keys).map(({ key, held }) => [key, held])).toEqual(chords);
});

it.each([
  ['', 'No key is named.'],
  ['  ', 'No key is named.'],
  ['ctrl', 'There is no such key.'],
  ['F123', 'There is no such key.'],
  ['Hyper+A', 'There is no such key to hold.'],
  ['Control+', 'There is no such key.'],
])('%j is refused: %s', (keys, message) => {
  expect(() => readChords(keys)).toThrow(message);
});

it.each([
  ['', {}],
  ['ctrl+cmd', { ctrlKey: true, metaKey: true }],
  ['Shift Option', { shiftKey: true, altKey: true }],
  ['command, shift', { metaKey: true, shiftKey: true }],
])('%j is held as %j', (held, init) => {
  expect(modifiersOf(held)).toEqual(init);
});
