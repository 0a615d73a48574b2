import { expect, it } from 'vitest';
import { newTask } from './newtask';
import type { TaskSettings } from './settings';

const settings: TaskSettings = {
  profile: '',
  steps: 40,
  minutes: 30,
  tokens: 0,
  eval: false,
  keepGroup: false,
};
const title = (goal: string): string => newTask('t1', goal, settings, {}).title;

it('a title that is cut says so', () => {
  expect(title('Order tea\nfor two')).toBe('Order tea');
  const long = title(`${'a'.repeat(58)} bcd`);
  expect(long).toBe(`${'a'.repeat(58)}…`);
});

it('a title has no marks that are for agents', () => {
  expect(title('<page-1 origin="https://a.test">\nBuy</page-1>')).toBe('Buy');
});
