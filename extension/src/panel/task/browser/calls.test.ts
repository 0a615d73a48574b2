import { describe, expect, it } from 'vitest';
import type { Action } from '../core/types';
import { callsOf, type Call } from './calls';

const call = (command: string, args: Call['args'] = {}): Call => ({ command, args });
const target = 'e1';

describe('an action as commands', () => {
  it.each<[string, Action, Call[]]>([
    ['a click', { do: 'click', ref: 'e1' }, [call('click', { target })]],
    [
      'a click with all it can have',
      { do: 'click', ref: 'e1', button: 'right', count: 2, keys: 'Shift', hold: 500 },
      [call('click', { target, button: 'right', count: 2, modifiers: 'Shift', hold: 500 })],
    ],
    ['a click with no keys', { do: 'click', ref: 'e1', keys: '' }, [call('click', { target })]],
    ['switching off', { do: 'check', ref: 'e1', on: false }, [call('uncheck', { target })]],
    ['switching on', { do: 'check', ref: 'e1' }, [call('check', { target })]],
    ['a drag', { do: 'drag', ref: 'e1', to: 'e2', via: '' }, [call('drag', { target, to: 'e2' })]],
    ['a verb', { do: 'mouse', action: 'down' }, [call('mouse', { action: 'down' })]],
    ['scrolling to', { do: 'scroll', ref: 'e1' }, [call('scroll', { target })]],
    ['scrolling by', { do: 'scroll', down: 0, right: 5 }, [call('scroll', { y: 0, x: 5 })]],
    ['reading a part', { do: 'read', ref: 'e1' }, [call('markdown', { element: 'e1' })]],
    ['an empty address', { do: 'open_tab', url: '' }, [call('newtab')]],
    ['closing this tab', { do: 'close_tab', tab: '' }, [call('closetab')]],
    ['what the loop does', { do: 'done', success: true, text: '' }, []],
  ])('%s', (_, action, calls) => {
    expect(callsOf(action)).toEqual(calls);
  });

  const type = { do: 'type', ref: 'e1' } as const;
  const long = 'x'.repeat(401);
  it.each<[string, Action, Call[]]>([
    ['is typed over', { ...type, text: 'a' }, [call('type', { target, value: 'a', clear: true })]],
    ['is put in when long', { ...type, text: long }, [call('fill', { target, value: long })]],
    ['is taken away', { ...type, text: '' }, [call('fill', { target, value: '' })]],
    [
      'is put in whole',
      { ...type, text: 'a', whole: true },
      [call('fill', { target, value: 'a' })],
    ],
    ['is added', { ...type, text: long, append: true }, [call('type', { target, value: long })]],
    [
      'replaces what takes no letters',
      { ...type, text: 'a', append: true, whole: true },
      [call('fill', { target, value: 'a' })],
    ],
    [
      'is sent',
      { ...type, text: 'a', append: true, enter: true },
      [call('type', { target, value: 'a' }), call('press', { key: 'Enter', target })],
    ],
  ])('a text %s', (_, action, calls) => {
    expect(callsOf(action)).toEqual(calls);
  });

  it.each([
    [undefined, '1000'],
    ['250', '250'],
    ['-5', '0'],
    ['soon', '0'],
    ['600000', '10000'],
  ])('a wait of %s ms is one of %s', (value, ms) => {
    const action: Action = { do: 'wait', for: 'time', ...(value !== undefined && { value }) };
    expect(callsOf(action)).toEqual([call('wait', { for: 'time', value: ms })]);
  });
});
