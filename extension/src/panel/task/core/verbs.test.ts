import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isVerb, verbArgs, verbFields, verbOf, verbPlaces, verbProperties, verbs } from './verbs';

describe('a verb of the registry', () => {
  const ref = v.pipe(v.string(), v.regex(/^e\d+$/));
  const read = (name: Parameters<typeof verbFields>[0], input: unknown) =>
    v.safeParse(v.strictObject(verbFields(name, ref)), input);

  it('is an action, and other actions are not', () => {
    expect(verbs.every(({ name }) => isVerb({ do: name }))).toBe(true);
    expect(isVerb({ do: 'click' })).toBe(false);
  });

  it.each([
    ['its elements are refs', 'tap', { ref: 'button' }, false],
    ['a ref is read', 'tap', { ref: 'e4', count: 2 }, true],
    ['what it needs is missing', 'keydown', {}, false],
    ['a key that is a digit may be a number', 'keydown', { keys: 1 }, true],
    ['a choice is one of the list', 'mouse', { action: 'jump' }, false],
    ['a number is whole', 'swipe', { ref: 'e1', right: 1.5 }, false],
    ['a field is unknown', 'tap', { ref: 'e1', colour: 'red' }, false],
  ] as const)('%s', (_, name, input, good) => {
    expect(read(name, input).success).toBe(good);
  });

  it('reads numbers of a model as the texts that the registry takes', () => {
    expect(read('pinch', { ref: 'e1', scale: 0.5 }).output).toEqual({ ref: 'e1', scale: '0.5' });
  });

  it('becomes its command and back, under the registry’s names', () => {
    const action = { do: 'swipe', ref: 'e1', right: 30, down: -5 } as const;
    const args = verbArgs(action);
    expect(args).toEqual({ target: 'e1', x: 30, y: -5 });
    expect(verbOf('swipe', args)).toEqual(action);
    expect(verbArgs({ do: 'tap', ref: 'e1', keys: 'no argument of tap' })).toEqual({
      target: 'e1',
    });
  });

  it('is offered to the model with its types and choices', () => {
    const { action, right, ref: target } = verbProperties();
    expect(action).toEqual({ type: 'string', enum: ['move', 'down', 'up'] });
    expect(right).toEqual({ type: 'integer' });
    expect(target).toEqual({ type: 'string' });
  });

  it('has arguments without a name on a command line, and flags', () => {
    expect(verbPlaces.keydown).toEqual(['key']);
  });
});
