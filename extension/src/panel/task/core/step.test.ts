import { describe, expect, it } from 'vitest';
import { describeStep, readAction, readAnswer } from './step';

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
