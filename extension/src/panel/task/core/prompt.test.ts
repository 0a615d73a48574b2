import { describe, expect, it } from 'vitest';
import { performed, stepOf } from './fakes/steps';
import { stepLines, systemPrompt, turnPrompt, type Turn } from './prompt';

const turn: Turn = {
  goal: 'buy tea',
  before: '',
  summary: '',
  steps: [],
  memory: '',
  notices: [],
  tabs: [{ tab: 't1', title: 'A', url: 'https://a.test/' }],
  page: { tab: 't1', url: 'https://a.test/', title: 'A', text: 'e1 btn Buy' },
  stepsLeft: 3,
};
const headings = (text: string): string[] => text.match(/^# .*$/gm) ?? [];

describe('a turn', () => {
  it('has only what there is', () => {
    expect(headings(turnPrompt(turn))).toEqual(['# Goal', '# The page in t1']);
  });

  it('has everything in its order', () => {
    const all: Turn = {
      ...turn,
      before: 'bought milk',
      summary: 'opened the shop',
      steps: [stepOf(1, 'look')],
      memory: 'price 12',
      notices: ['a tab opened', 'be quick'],
      tabs: [...turn.tabs, { tab: 't2', title: 'B "b"', url: 'https://b.test/' }],
    };
    const text = turnPrompt(all);
    expect(headings(text)).toEqual([
      '# Goal',
      '# Before this',
      '# The first steps, in short',
      '# Steps so far',
      '# Memory',
      '# Now',
      '# Tabs of the task',
      '# The page in t1',
    ]);
    expect(text).toContain('- a tab opened\n- be quick');
    expect(text).toContain('* t1 "A" https://a.test/\n  t2 "B \\"b\\"" https://b.test/');
    expect(text).toMatch(/You have 3 steps left\./);
  });

  it('says why a page cannot be seen, and shows none of it', () => {
    const refused = { code: 'crashed', message: 'It crashed.', hint: 'Reload it.' };
    const text = turnPrompt({ ...turn, page: { ...turn.page, refused } });
    expect(text).toContain('cannot be seen (crashed): It crashed. Reload it. You can go');
    expect(text).not.toContain('e1 btn Buy');
  });
});

describe('a step in the history', () => {
  const long = 'z'.repeat(500);

  it('tells what was done, and what failed and how', () => {
    const step = stepOf(
      2,
      'save',
      performed({ do: 'goto', url: 'b.test' }),
      performed({ do: 'click', ref: 'e1' }, { ok: false, code: 'covered', text: 'by a dialog' }),
      performed({ do: 'back' }, { ok: false, text: 'no' }),
    );
    expect(stepLines({ ...step, thought: { ...step.thought, evaluation: 'good' } })).toBe(
      [
        '2. save (https://a.test/)',
        '   You said: good',
        '   - Go to b.test: done',
        '   - Click e1: FAILED (covered): by a dialog',
        '   - Go back: FAILED (error): no',
      ].join('\n'),
    );
  });

  it('is told in full while it is the newest, else cut with a word', () => {
    const steps = [1, 2].map((n) => stepOf(n, 'read', performed({ do: 'read' }, { text: long })));
    const [old = '', newest = ''] = steps.map(stepLines);
    expect(newest).toContain(long);
    expect(old).toContain(`${'z'.repeat(400)} … (100 more characters)`);
    expect(old).not.toContain('z'.repeat(401));
  });

  it('cuts no character in two: a provider refuses half of one', () => {
    const text = `${'a'.repeat(399)}👍${'b'.repeat(100)}`;
    const step = stepOf(1, 'read', performed({ do: 'read' }, { text }));
    expect(stepLines(step, 0, [step, step])).not.toMatch(/\p{Cs}/u);
  });
});

it('JavaScript is spoken of only where it is allowed', () => {
  expect(systemPrompt({ eval: false })).not.toContain('JavaScript');
  expect(systemPrompt({ eval: true })).toContain('JavaScript is allowed');
});
