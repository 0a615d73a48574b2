import { expect, it } from 'vitest';
import { misfit } from './extract';

const schema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      count: { type: 'integer' },
      size: { enum: ['S', 'M'] },
      price: { type: ['number', 'string'] },
    },
    required: ['name'],
  },
};

it.each([
  [[]],
  [[{ name: 'a' }]],
  [[{ name: null, count: null }]],
  [[{ name: 'a', count: 3, size: 'M', price: 1.5, more: true }]],
])('%j fits', (value) => {
  expect(misfit(value, schema)).toBe('');
});

it.each([
  [null, 'the answer is of type null and should be array'],
  [{}, 'the answer is of type object and should be array'],
  [[{}], 'item 1 of the answer lacks "name"'],
  [[{ name: 'a' }, { name: 7 }], '"name" of item 2 of the answer is of type number'],
  [[{ name: 'a', count: 1.5 }], '"count" of item 1'],
  [[{ name: 'a', size: 'L' }], 'is "L" and should be one of ["S","M"]'],
  [[{ name: 'a', price: true }], 'should be number or string'],
])('%j does not, and it is said why', (value, says) => {
  expect(misfit(value, schema)).toContain(says);
});

it('a schema that is none asks for nothing', () => {
  expect(misfit(7, { properties: 3, required: 'x', items: null, type: undefined })).toBe('');
});
