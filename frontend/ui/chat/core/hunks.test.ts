import { expect, it } from 'vitest';
import { change } from './hunks';

const file = Array.from({ length: 40 }, (_, at) => `line ${String(at + 1)}`);

it('shows what changed, with what stands around it', () => {
  const after = file.with(4, 'five').toSpliced(30, 1);
  const found = change(file.join('\n'), after.join('\n'), 1);
  expect([found.hunks.length, found.added, found.removed]).toEqual([2, 1, 2]);
  expect(found.hunks[0]?.lines.map(({ sign, number }) => sign + String(number))).toEqual([
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+5',
    ' 6',
    ' 7',
    ' 8',
  ]);
  expect(found.hunks[1]?.lines.find(({ sign }) => sign === '-')).toEqual({
    sign: '-',
    number: 31,
    text: 'line 31',
  });
});

it('shows a new file as added, and says nothing about the end of a file', () => {
  const found = change('', 'a\nb', 1);
  expect(found.hunks[0]?.lines).toEqual([
    { sign: '+', text: 'a', number: 1 },
    { sign: '+', text: 'b', number: 2 },
  ]);
  expect(change('a', 'a', 1)).toEqual({ hunks: [], added: 0, removed: 0 });
});

it('shows two texts that have nothing in common one after the other', () => {
  const lines = (word: string): string =>
    Array.from({ length: 3_000 }, (_, at) => word + String(at)).join('\n');
  const found = change(lines('a'), lines('b'), 1);
  expect([found.hunks.length, found.added, found.removed]).toEqual([1, 3_000, 3_000]);
});

it('says where in its file a part is, and nothing where that is not known', () => {
  const part = change('a\nb\nc\n', 'a\nx\nc\n', 120);
  expect(part.hunks[0]?.head).toBe('Line 120');
  expect(part.hunks[0]?.lines.map(({ sign, number }) => sign + String(number))).toEqual([
    ' 120',
    '-121',
    '+121',
    ' 122',
  ]);
  const [hunk] = change('b', 'x', undefined).hunks;
  expect(hunk?.head).toBe('Change');
  expect(hunk?.lines.map(({ number }) => number)).toEqual([undefined, undefined]);
});
