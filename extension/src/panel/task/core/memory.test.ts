import { describe, expect, it } from 'vitest';
import { stepOf, performed } from './fakes/steps';
import { ScriptedModel } from './fakes/world';
import { Memory } from './memory';
import type { Answer } from './types';

const { signal } = new AbortController();
const says =
  (text: string): (() => Answer) =>
  () => ({ text, tokens: 7 });
const fails = (): Answer => {
  throw new Error('busy');
};

/** A memory of steps whose goals have this many characters each. */
function filled(budget: number, count: number, letters = 40): Memory {
  const memory = new Memory(budget);
  for (let n = 1; n <= count; n += 1)
    memory.add(stepOf(n, `${String(n)} `.padEnd(letters, 'x'), performed({ do: 'back' })));
  return memory;
}

describe('the memory of a task', () => {
  it('is full when the steps are longer than its budget, but never for a single step', () => {
    expect(filled(10_000, 3).full).toBe(false);
    expect(filled(100, 3).full).toBe(true);
    expect(filled(1, 1).full).toBe(false);
  });

  it('puts the short form of the model in the place of the oldest steps', async () => {
    const memory = filled(400, 8);
    const model = new ScriptedModel([says(' All went well. ')]);
    const made = await memory.shorten(model, 'buy tea', signal);
    expect(made).toEqual({ summary: 'All went well.', from: made.from, tokens: 7 });
    expect(memory.recent.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].slice(made.from));
    expect(memory.full).toBe(false);
    expect(memory.count).toBe(8);
    const [prompt] = model.prompts;
    expect(prompt?.text).toContain('Goal: buy tea');
    expect(prompt?.text).toContain('1. 1 xxx');
    // The newest steps are kept in full and are not part of the summary.
    expect(prompt?.text).not.toContain('8. 8 xxx');
  });

  it.each([
    ['fails', fails],
    ['says nothing', says('  ')],
    ['says more than there was', says('y'.repeat(5_000))],
  ])('is a list of goals where the model %s', async (_, answer) => {
    const memory = filled(500, 8);
    const { summary, from } = await memory.shorten(new ScriptedModel([answer]), 'g', signal);
    expect(summary.split('\n')).toHaveLength(from);
    expect(summary).toMatch(/^1\. 1 x+$/m);
  });

  it('gives up with its task', async () => {
    const ended = AbortSignal.abort(new Error('stopped'));
    const shortened = filled(400, 8).shorten(new ScriptedModel([fails]), 'g', ended);
    await expect(shortened).rejects.toThrow('stopped');
  });

  it('keeps the newest half of a summary that outgrows its share, and says what is left out', async () => {
    const memory = filled(60, 30, 12);
    const { summary } = await memory.shorten(new ScriptedModel([fails]), 'g', signal);
    const [note = '', ...lines] = summary.split('\n');
    expect(note).toMatch(/^\(\d+ characters of older notes are left out\)$/);
    expect(lines.join('\n').length).toBeLessThanOrEqual(30);
    expect(lines[0]).toMatch(/^\d+\. /);
  });

  it('cuts no character in two', async () => {
    const memory = new Memory(50);
    for (let n = 1; n < 4; n += 1) memory.add(stepOf(n, `${'a'.repeat(118)}👍 and more`));
    const { summary } = await memory.shorten(new ScriptedModel([fails]), 'g', signal);
    expect(summary).not.toMatch(/\p{Cs}/u);
  });

  it('remembers the last thing the model wanted to remember', () => {
    const memory = filled(1_000, 1);
    const noted = stepOf(2, 'x');
    memory.add({ ...noted, thought: { ...noted.thought, memory: 'price 12' } });
    memory.add(stepOf(3, 'y'));
    expect(memory.said).toBe('price 12');
  });

  it.each([
    [2, [3]],
    [-4, [1, 2, 3]],
    [9, []],
  ])('goes on behind step %i of a task that is resumed', (from, recent) => {
    const memory = filled(1_000, 1);
    memory.restore([stepOf(1, 'a'), stepOf(2, 'b'), stepOf(3, 'c')], 'before', from);
    expect(memory.recent.map(({ n }) => n)).toEqual(recent);
    expect(memory.summary).toBe('before');
  });
});
