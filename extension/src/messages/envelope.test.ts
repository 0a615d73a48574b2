import { describe, expect, it } from 'vitest';
import {
  answerTo,
  MESSAGE_VERSION,
  MessageError,
  question,
  read,
  readAnswer,
  tabEvent,
} from './envelope';

const asked = question('rpc:call', 'frames', { tab: 7 }, 1_000, 'q1');

/** The code of the error with which a value is refused. */
function refused(value: unknown, now = 0): string {
  try {
    read(value, now);
  } catch (error) {
    if (error instanceof MessageError) {
      expect(error.message).toMatch(/\w{3,}.*\.$/);
      return error.code;
    }
    throw error;
  }
  return 'taken';
}

describe('what comes in', () => {
  it('is read when it is of this version, whole and in time', () => {
    expect(read(asked, 999)).toEqual(asked);
    const event = tabEvent('executor-ready', 1_000);
    expect(read(event, 0)).toEqual(event);
  });

  it('is refused with words otherwise', () => {
    expect(refused(undefined)).toBe('bad_message');
    expect(refused({ type: 'panel-ask' })).toBe('bad_message');
    expect(refused({ ...asked, v: MESSAGE_VERSION + 1 })).toBe('version');
    expect(refused({ ...asked, v: undefined })).toBe('version');
    expect(refused({ ...asked, kind: 'rpc:shout' })).toBe('unknown_kind');
    expect(refused({ ...asked, id: '' })).toBe('bad_message');
    expect(refused({ ...asked, deadline: 'soon' })).toBe('bad_message');
    expect(refused({ ...asked, method: 7 })).toBe('bad_message');
    expect(refused({ ...tabEvent('executor-ready', 1), event: 7 })).toBe('bad_message');
    expect(refused(asked, 1_000)).toBe('deadline');
  });
});

describe('an answer', () => {
  const answer = answerTo(asked, { ok: true, value: [] });

  it('is taken by who asked for it', () => {
    expect(readAnswer(answer, asked)).toEqual({
      kind: 'query:response',
      v: MESSAGE_VERSION,
      id: 'q1',
      deadline: 1_000,
      ok: true,
      value: [],
    });
  });

  it('is taken by nobody else, and nothing else is an answer', () => {
    for (const other of [
      { ...answer, id: 'q2' },
      { ...answer, v: MESSAGE_VERSION + 1 },
      { ...answer, ok: undefined },
      { ...answer, ok: false },
      asked,
      undefined,
    ])
      expect(() => readAnswer(other, asked)).toThrow('no answer to this question');
  });
});
