import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '$ui/protocol/protocol';
import { performed, stepOf } from '../core/fakes/steps';
import { readRecipe, TaskView, type Line } from './view.svelte';

const event = (index: number, kind: TaskEvent['kind'], data?: unknown): TaskEvent => ({
  index,
  kind,
  at: '2026-11-21T09:30:00Z',
  ...(data !== undefined && { data }),
});
const click = performed({ do: 'click', ref: 'e1' });
/** The lines of a view, in short. */
const shown = (view: TaskView): string[] =>
  view.lines.map((line: Line) =>
    line.kind === 'step'
      ? `step ${String(line.step.n)}${line.whole ? '' : '…'}`
      : `${line.kind}: ${line.text}`,
  );

describe('a task that runs here', () => {
  it('says what it does, and shows a step from its thought on', () => {
    const view = new TaskView();
    const doing: string[] = [];
    const { thought } = stepOf(1, 'save', click);
    const says = (...[said]: Parameters<TaskView['apply']>): void => {
      view.apply(said);
      doing.push(view.doing);
    };
    says({ kind: 'observed', page: {} as never });
    says({ kind: 'thinking', n: 1 });
    says({ kind: 'thought', n: 1, thought, tab: 't1' });
    expect(shown(view)).toEqual(['step 1…']);
    expect(view.whole).toEqual([]);
    says({ kind: 'acting', action: click.action, tab: 't1', target: 'btn "Save"' });
    says({ kind: 'step', step: stepOf(1, 'save', click) });
    expect(doing).toEqual([
      'Reading the page',
      'Thinking',
      'Thinking',
      'Click “Save” (button)',
      '',
    ]);
    expect(shown(view)).toEqual(['step 1']);
    expect(view.whole).toHaveLength(1);
  });

  it('has a question until it goes on, and a wish to pause until it has paused', () => {
    const view = new TaskView();
    view.wants('paused');
    view.apply({ kind: 'status', status: 'waiting', question: 'Which?' });
    expect([view.question, view.wanted]).toEqual(['Which?', 'paused']);
    view.apply({ kind: 'person', text: 'this' });
    view.apply({ kind: 'status', status: 'paused' });
    expect([view.question, view.wanted]).toEqual([undefined, undefined]);
    expect(shown(view)).toEqual(['question: Which?', 'person: this']);
  });

  it('rests at its end', () => {
    const view = new TaskView();
    view.apply({ kind: 'thinking', n: 1 });
    view.wants('paused');
    view.apply({ kind: 'end', outcome: { state: 'done', text: '' } });
    expect([view.doing, view.wanted]).toEqual(['', undefined]);
  });
});

describe('a task as it was written', () => {
  it('is read once, each event', () => {
    const view = new TaskView();
    const events = [
      event(1, 'notice', { plain: true }),
      event(2, 'notice', { before: 'bought milk' }),
      event(3, 'step', stepOf(1, 'save', click)),
      event(4, 'person', { text: 'hurry' }),
      event(5, 'notice', { question: 'Which?' }),
      event(6, 'notice', { text: 'a tab opened' }),
      event(7, 'summary', { summary: 'saved', from: 1 }),
      event(8, 'head'),
    ];
    for (const one of [...events, ...events]) view.read(one);
    expect(shown(view)).toEqual([
      'step 1',
      'person: hurry',
      'question: Which?',
      'notice: a tab opened',
    ]);
    expect(view).toMatchObject({
      plain: true,
      before: 'bought milk',
      summary: 'saved',
      from: 1,
      index: 8,
    });
  });

  it('has a step that is not whole where only its thought was written', () => {
    const view = new TaskView();
    view.read(event(1, 'step', { ...stepOf(1, 'save'), url: '' }));
    expect(shown(view)).toEqual(['step 1…']);
    view.read(event(2, 'step', stepOf(1, 'save', click)));
    expect(shown(view)).toEqual(['step 1']);
  });

  it('of another version loses what cannot be read, and nothing else', () => {
    const view = new TaskView();
    const old = performed({ do: 'teleport' } as never);
    view.read(event(1, 'step', stepOf(1, 'save', old, click)));
    view.read(event(2, 'step', { n: 2 }));
    view.read(event(3, 'person', { words: 'x' }));
    expect(view.whole.map(({ deeds, thought }) => [deeds.length, thought.actions.length])).toEqual([
      [1, 1],
    ]);
  });
});

describe('recorded actions', () => {
  const recipe = { url: '', deeds: [{ action: { do: 'back' } }], params: [] };

  it('are read as they were written', () => {
    expect(readRecipe({ recipe })).toEqual(recipe);
    const view = new TaskView();
    view.read(event(1, 'notice', { recipe }));
    expect(view.recipe).toEqual(recipe);
  });

  it.each([
    ['nothing', undefined],
    ['another form', { recipe: { deeds: [] } }],
    ['an action that is not known', { recipe: { ...recipe, deeds: [{ action: { do: 'fly' } }] } }],
  ])('of %s are none: half of them would do something else', (_, data) => {
    expect(readRecipe(data)).toBeUndefined();
  });
});
