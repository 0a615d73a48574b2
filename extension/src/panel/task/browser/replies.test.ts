import { describe, expect, it } from 'vitest';
import type { TaskCommandReply } from '$ui/protocol/protocol';
import { resultOf } from './replies';

const reply = (part: Partial<TaskCommandReply> = {}): TaskCommandReply => ({
  ok: true,
  text: 'clicked',
  durationMs: 3,
  ...part,
});

describe('what came of a command', () => {
  it.each<[string, unknown, boolean]>([
    ['nothing', undefined, false],
    ['an empty effect', {}, false],
    ['another page', { navigated: true }, true],
    ['another address of the page', { within: true }, true],
    ['a new tab', { tabs: ['t2'] }, true],
    ['a dialog', { dialog: { kind: 'alert' } }, true],
    ['a value', { value: 'Ada' }, false],
    ['an effect in another form', { navigated: 'yes' }, false],
  ])('with %s the page moved or not', (_, data, moved) => {
    expect(resultOf(reply({ data }), false).moved).toBe(moved);
    expect(resultOf(reply({ data }), true).moved).toBe(true);
  });

  it('says where its picture is, and what is secret or was done by the page', () => {
    expect(resultOf(reply({ data: { path: 'shots/1.jpg' } }), false).picture).toBe('shots/1.jpg');
    expect(resultOf(reply({ data: { value: '•••' } }), false).secret).toBe(true);
    expect(resultOf(reply({ data: { byPage: true } }), false).byPage).toBe(true);
    const plain = resultOf(reply({ data: { value: 'Ada' } }), false);
    expect(plain).toEqual({ ok: true, text: 'clicked', moved: false });
  });

  it.each<[TaskCommandReply['error'], string]>([
    [{ code: 'covered', message: 'By a dialog', hint: 'close it' }, 'By a dialog: close it'],
    [{ code: 'covered', message: 'By a dialog' }, 'By a dialog'],
    [undefined, 'It failed and gave no reason.'],
  ])('that failed with %j is told in words', (error, text) => {
    const result = resultOf(reply({ ok: false, text: 'x', ...(error && { error }) }), false);
    expect(result).toEqual({
      ok: false,
      code: error?.code ?? 'internal',
      text,
      shown: error?.message ?? text,
      moved: false,
    });
  });
});
