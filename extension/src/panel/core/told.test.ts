import { expect, it } from 'vitest';
import { read, written, type Stroke, type Told } from './told';

const plain: Stroke = {
  text: 'one',
  bold: false,
  italic: false,
  underline: false,
  strike: false,
  fg: undefined,
  bg: undefined,
  cells: undefined,
};

const told: Told = {
  place: 'here',
  top: 62,
  lines: [
    [plain, { ...plain, text: '<b>', bold: true, fg: '#112233', bg: '#445566' }],
    [],
    [
      { ...plain, text: '漢', cells: 2, italic: true, fg: '#11223380' },
      { ...plain, underline: true, strike: true },
    ],
  ],
};

it('reads what was written', () => {
  expect(read(written(told))).toEqual(told);
});

it.each([
  '',
  'null',
  '[]',
  '{"place":"here","top":"1","lines":[]}',
  '{"place":"here","top":1,"lines":[1]}',
  '{"place":"here","top":1,"lines":[[1]]}',
  '{"place":"here","top":1,"lines":[[["x",0,"red","",0]]]}',
  '{"place":"here","top":1,"lines":[[["x",0,"","url(https://example.com/)",0]]]}',
  '{"place":"here","top":1,"lines":[[["x",0,"","","1"]]]}',
  '{"place":"here","top":1,"lines":[[["x",0]]]}',
])('reads nothing else: %s', (text) => {
  expect(read(text)).toBeUndefined();
});
