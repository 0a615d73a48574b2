import { expect, it } from 'vitest';
import { actionsOf } from './actions';
import { callsOf } from '../browser/calls';
import type { Action } from '../core/types';

/** A command of Pilot's rules, and the action that is made of it. */
const pairs: [string, object, Action][] = [
  ['goto', { url: 'https://a.example/' }, { do: 'goto', url: 'https://a.example/' }],
  ['back', {}, { do: 'back' }],
  ['newtab', { front: true }, { do: 'open_tab' }],
  ['newtab', { url: 'https://a.example/' }, { do: 'open_tab', url: 'https://a.example/' }],
  ['tab', { tab: 't2' }, { do: 'switch_tab', tab: 't2' }],
  ['closetab', {}, { do: 'close_tab' }],
  ['click', { target: 'e1' }, { do: 'click', ref: 'e1' }],
  ['click', { target: 'e1', button: 'right' }, { do: 'click', ref: 'e1', button: 'right' }],
  ['dblclick', { target: 'e1' }, { do: 'click', ref: 'e1', count: 2 }],
  ['type', { target: 'e1', value: 'a' }, { do: 'type', ref: 'e1', text: 'a', append: true }],
  ['fill', { target: 'e1', value: '' }, { do: 'type', ref: 'e1', text: '' }],
  ['select', { target: 'e1', value: 'Rome' }, { do: 'select', ref: 'e1', option: 'Rome' }],
  ['uncheck', { target: 'e1' }, { do: 'check', ref: 'e1', on: false }],
  ['drag', { target: 'e1', to: 'e2' }, { do: 'drag', ref: 'e1', to: 'e2' }],
  ['press', { key: 'Escape' }, { do: 'press', keys: 'Escape' }],
  ['scroll', { y: -600 }, { do: 'scroll', down: -600 }],
  ['scroll', { x: 600 }, { do: 'scroll', right: 600 }],
  ['scroll', { target: 'text="Prices"' }, { do: 'scroll', ref: 'text="Prices"' }],
  ['dialog', { answer: 'accept', text: 'x' }, { do: 'dialog', answer: 'accept', text: 'x' }],
  ['wait', { for: 'gone', value: 'e1' }, { do: 'wait', for: 'gone', value: 'e1' }],
];

it('each command is the action that it would be made of', () => {
  for (const [command, args, action] of pairs)
    expect(actionsOf([{ command, args: { ...args } }])).toEqual([{ action, of: 1 }]);
});

it('what goes to the browser again is what was handed over', () => {
  for (const command of ['back', 'hover', 'check', 'select', 'drag', 'press', 'scroll', 'type']) {
    const args = {
      ...(['back'].includes(command) ? {} : { target: 'e1' }),
      ...(['select', 'type'].includes(command) && { value: 'Rome' }),
      ...(command === 'drag' && { to: 'e2' }),
      ...(command === 'press' && { key: 'Enter' }),
    };
    const [made] = actionsOf([{ command, args }]);
    if (made === undefined) throw new Error('there is no action');
    expect(callsOf(made.action)).toEqual([{ command, args }]);
  }
});

it('Enter in the field that was filled belongs to it', () => {
  const fill = { command: 'fill', args: { target: 'e1', value: 'tides' } };
  const enter = (target: string) => ({ command: 'press', args: { key: 'Enter', target } });
  expect(actionsOf([fill, enter('e1')])).toEqual([
    { action: { do: 'type', ref: 'e1', text: 'tides', enter: true }, of: 2 },
  ]);
  expect(actionsOf([fill, enter('e2')])).toHaveLength(2);
});

it('a long wait is several, that Stop ends soon', () => {
  const made = actionsOf([{ command: 'wait', args: { for: 'time', value: '25000' } }]);
  expect(made.map(({ action, of }) => [action.do === 'wait' && action.value, of])).toEqual([
    ['10000', 1],
    ['10000', 0],
    ['5000', 0],
  ]);
});

it('a command that is no action is said', () => {
  expect(() => actionsOf([{ command: 'cdp', args: {} }])).toThrow('cdp');
});
