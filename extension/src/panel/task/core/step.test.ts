import { describe, expect, it } from 'vitest';
import { actionsOf } from '../run/actions';
import { callsOf } from '../browser/calls';
import { describeStep, readAction, readAnswer } from './step';
import { verbs } from './verbs';

const whole = { evaluation: 'a', memory: 'b', goal: 'c', actions: [{ do: 'click', ref: 'e1' }] };
const answer = (input: unknown, text = ''): Parameters<typeof readAnswer>[0] => ({
  input,
  text,
  tokens: 1,
});

describe('an answer of the model', () => {
  it('is the input of the tool', () => {
    expect(readAnswer(answer(whole)).thought).toEqual(whole);
  });

  it.each([
    ['as text', answer(JSON.stringify(whole))],
    [
      'in prose',
      answer(undefined, `Let me click {it}.\n\`\`\`json\n${JSON.stringify(whole)}\n\`\`\` Done.`),
    ],
    ['within arguments', answer({ name: 'step', arguments: whole })],
    ['within arguments as text', answer({ arguments: JSON.stringify(whole) })],
    ['with one action that is no list', answer({ ...whole, actions: whole.actions[0] })],
    ['with the action as a key', answer({ ...whole, actions: [{ click: { ref: '[e1]' } }] })],
    ['with nulls', answer({ ...whole, actions: [{ do: 'click', ref: '@e1', button: null }] })],
  ])('is understood %s', (_, given) => {
    expect(readAnswer(given).thought).toEqual(whole);
  });

  it.each([
    ['nothing', answer(undefined), 'empty'],
    ['words', answer(undefined, 'I cannot do that.'), 'words instead of the tool'],
    ['no actions', answer({ goal: 'x', actions: [] }), 'no action'],
    ['an unknown action', answer({ actions: [{ do: 'fly' }] }), 'no action "fly"; there are click'],
    [
      'a missing field',
      answer({ actions: [{ do: 'type', ref: 'e1' }] }),
      'type: text: it is missing',
    ],
    ['nothing to collect', answer({ actions: [{ do: 'extract' }] }), 'needs fields or a schema'],
    ['a wrong type', answer({ actions: [{ do: 'scroll', down: 'much' }] }), 'scroll: down'],
    [
      'eleven actions',
      answer({ actions: Array.from({ length: 11 }, () => ({ do: 'back' })) }),
      'more than 10',
    ],
    ['broken JSON', answer('{"actions": ['), 'is wrong'],
  ])('of %s is told what is wrong', (_, given, says) => {
    const { wrong, thought } = readAnswer(given);
    expect(thought).toBeUndefined();
    expect(wrong).toContain(says);
    expect(wrong).not.toContain('undefined');
  });

  it('never breaks the reader', () => {
    for (const odd of [
      null,
      7,
      [],
      [[]],
      { actions: 7 },
      { actions: [null] },
      { arguments: { arguments: 1 } },
    ])
      expect(readAnswer(answer(odd, '}{"a":{{')).wrong).toBeTypeOf('string');
  });
});

describe('the tool', () => {
  it('offers JavaScript and pictures only where they are of use', () => {
    const plain = JSON.stringify(describeStep({ eval: false, vision: false }).schema);
    expect(plain).not.toContain('"eval"');
    expect(plain).not.toContain('"screenshot"');
    const all = JSON.stringify(describeStep({ eval: true, vision: true }).schema);
    expect(all).toContain('"eval"');
    expect(all).toContain('"screenshot"');
  });

  it('takes what it describes', () => {
    expect(readAction({ do: 'done', success: false, text: ' no ' })).toEqual({
      do: 'done',
      success: false,
      text: 'no',
    });
    expect(readAction({ do: 'wait', for: 'time', value: 500 })).toEqual({
      do: 'wait',
      for: 'time',
      value: '500',
    });
  });
});

describe('the input verbs of the registry', () => {
  /** A model's action, and the command that is made of it. */
  const said: [object, string, object][] = [
    [{ do: 'keydown', keys: 'Shift' }, 'keydown', { key: 'Shift' }],
    [{ do: 'keydown', keys: 1, ref: '@e3' }, 'keydown', { key: '1', target: 'e3' }],
    [{ do: 'keyup' }, 'keyup', {}],
    [{ do: 'mouse', action: 'move', ref: '120,80' }, 'mouse', { action: 'move', target: '120,80' }],
    [
      { do: 'mouse', action: 'down', button: 'right' },
      'mouse',
      { action: 'down', button: 'right' },
    ],
    [{ do: 'tap', ref: 'e1', count: 2, hold: 500 }, 'tap', { target: 'e1', count: 2, hold: 500 }],
    [{ do: 'swipe', ref: 'e1', right: -200 }, 'swipe', { target: 'e1', x: -200 }],
    [
      { do: 'swipe', ref: 'e1', to: 'e2', speed: 900 },
      'swipe',
      { target: 'e1', to: 'e2', speed: 900 },
    ],
    [{ do: 'pinch', ref: 'e1', scale: 0.5 }, 'pinch', { target: 'e1', scale: '0.5' }],
  ];

  it('are actions, and the commands of their names', () => {
    for (const [written, command, args] of said) {
      const action = readAction(written);
      if (typeof action === 'string') throw new Error(action);
      expect(callsOf(action)).toEqual([{ command, args }]);
      expect(actionsOf([{ command, args: { ...args } }])).toEqual([{ action, of: 1 }]);
    }
    expect(new Set(said.map(([, command]) => command))).toEqual(
      new Set(verbs.map(({ name }) => name)),
    );
  });

  it('are checked as the registry does', () => {
    for (const wrong of [
      { do: 'keydown' },
      { do: 'mouse', action: 'fly' },
      { do: 'tap', ref: 'e1', hold: 99_999_999 },
      { do: 'pinch', ref: 'e1' },
      { do: 'click', ref: 'e1', hold: 'long' },
    ])
      expect(readAction(wrong)).toBeTypeOf('string');
  });

  it('click holds, and drag goes along points at a speed', () => {
    const calls = (raw: object): unknown => {
      const action = readAction(raw);
      return typeof action === 'string' ? action : callsOf(action);
    };
    expect(calls({ do: 'click', ref: 'e1', hold: 700 })).toEqual([
      { command: 'click', args: { target: 'e1', hold: 700 } },
    ]);
    expect(calls({ do: 'drag', ref: 'e1', to: '9,9', via: '1,2 e4', speed: 500 })).toEqual([
      { command: 'drag', args: { target: 'e1', to: '9,9', via: '1,2 e4', speed: 500 } },
    ]);
  });

  it('stand in the description for the model, at a price', () => {
    const about = JSON.stringify(describeStep({ eval: false, vision: true }));
    for (const { name } of verbs) expect(about).toContain(`${name}: `);
    expect(about.length).toBeLessThan(5000);
  });
});
