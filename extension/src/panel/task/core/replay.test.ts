import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import { SmallBrowser, step } from './fakes/world';
import { TaskLoop, type LoopEvent } from './loop';
import { recipeOf, typedIn, withParams, type Recipe } from './recipe';
import { Replay } from './replay';
import type { Choice, Model, Step } from './types';
import { markOf } from './element';

const recorded = '# Order\ne1 edit Name\ne2 edit Password\ne3 btn Save';

function steps(): Step[] {
  const done = (text = 'done') => ({ ok: true, text });
  const mark = (ref: string) => ({ mark: markOf(recorded, ref) });
  return [
    {
      n: 1,
      tab: 't7',
      url: 'https://a.test/',
      title: 'A',
      thought: { evaluation: '', memory: '', goal: '', actions: [] },
      deeds: [
        { action: { do: 'type', ref: 'e1', text: 'Ada' }, result: done(), ...mark('e1') },
        { action: { do: 'type', ref: 'e2', text: '•••' }, result: done(), ...mark('e2') },
        { action: { do: 'read' }, result: done() },
        { action: { do: 'click', ref: 'e9' }, result: { ok: false, text: 'gone' } },
        { action: { do: 'click', ref: 'e3' }, result: done(), ...mark('e3') },
      ],
      tokens: 0,
      took: 0,
      modelTook: 0,
    },
  ];
}

/** Replays a recipe on a page; `say` answers each question. */
async function play(
  page: string,
  say: (question: string, choices: readonly Choice[]) => string,
  more: { recipe?: Recipe; model?: Model; browser?: SmallBrowser } = {},
) {
  const browser = more.browser ?? new SmallBrowser();
  browser.pages = { t1: { tab: 't1', url: 'https://a.test/', title: 'A', text: page } };
  const questions: string[] = [];
  const events: LoopEvent[] = [];
  const replay: Replay = new Replay({
    recipe: more.recipe ?? recipeOf(steps()),
    values: { password: 'hunter2' },
    observe: async () => (await browser.observe('t1')).text,
    appear: () => Promise.resolve(),
    tabs: () => ['t1'],
    model: more.model,
  });
  const loop: TaskLoop = new TaskLoop({
    goal: 'again',
    tab: 't1',
    browser,
    model: replay,
    summary: replay,
    clock: new FakeClock(),
    now: () => 0,
    limits: { steps: 30, time: 1e6, tokens: 0, history: 1e6 },
    tell: (event) => {
      events.push(event);
      if (event.kind === 'step') replay.told(event.step);
      if (event.kind === 'status' && event.question !== undefined) {
        questions.push(event.question);
        loop.say(say(event.question, replay.choices));
      }
      return Promise.resolve();
    },
  });
  const outcome = await loop.run();
  return { outcome, questions, done: browser.done.map(({ action }) => action), events };
}

const silent = (): string => {
  throw new Error('nothing is to be asked');
};

it('what was done is done again on the elements of today, with the secret of today', async () => {
  const { outcome, done } = await play(
    '# Order\ne21 btn Save\ne22 edit Password\ne23 edit Name',
    silent,
  );
  expect(done).toEqual([
    { do: 'type', ref: 'e23', text: 'Ada' },
    { do: 'type', ref: 'e22', text: 'hunter2' },
    { do: 'click', ref: 'e21' },
  ]);
  expect(outcome).toMatchObject({ state: 'done' });
});

it('two of what was one: it asks which, and takes the one that is picked', async () => {
  const page = `${recorded}\nform Delivery\n e8 btn Save`;
  const { questions, done, outcome } = await play(page, (_, choices) => {
    expect(choices.map(({ say }) => say)).toEqual([
      '1. “Save” (button)',
      '2. “Save” (button)',
      'Look again',
      'Skip this step',
      'Stop the task',
    ]);
    expect(choices[1]?.where).toBe('Order, Delivery');
    return '2. “Save” (button)';
  });
  expect(questions).toEqual(['There are two “Save” (button) on this page. Which one?']);
  expect(done.at(-1)).toEqual({ do: 'click', ref: 'e8' });
  expect(outcome.state).toBe('done');
});

it('what is gone can be left out, and a number picks what is like it', async () => {
  const page = '# Order\ne1 edit Name\ne3 btn Save as draft';
  const said: string[] = ['Skip this step', '1'];
  const { questions, done } = await play(page, () => said.shift() ?? 'Stop the task');
  expect(questions).toEqual([
    '“Password” (field) is not on this page. Which element should be used instead?',
    '“Save” (button) is not on this page. Which element should be used instead?',
  ]);
  expect(done).toEqual([
    { do: 'type', ref: 'e1', text: 'Ada' },
    { do: 'click', ref: 'e3' },
  ]);
});

it('it stops where the person says so, and never takes a look-alike', async () => {
  const { outcome, done } = await play('e3 btn Save as draft', () => 'Stop the task');
  expect(outcome).toMatchObject({ state: 'failed' });
  expect(outcome.text).toContain('action 1 of 3');
  expect(done).toEqual([]);
});

it('what does not work is said, and tried again when the person wants it', async () => {
  const browser = new SmallBrowser();
  let broken = true;
  browser.answer = ({ do: what }) => {
    if (what !== 'click' || !broken) return { ok: true, text: 'done' };
    broken = false;
    return { ok: false, code: 'covered', text: 'It is covered by a banner.' };
  };
  const { questions, outcome } = await play(recorded, () => 'Look again', { browser });
  expect(questions).toEqual(['“Click “Save” (button)” did not work. It is covered by a banner.']);
  expect(outcome.state).toBe('done');
});

it('it hands over to the model', async () => {
  const model: Model = {
    complete: () =>
      Promise.resolve(step('End.', { do: 'done', success: true, text: 'The model did it.' })()),
  };
  const { outcome } = await play('e1 edit Name', () => 'Let the model continue', { model });
  expect(outcome).toMatchObject({ state: 'done', text: 'The model did it.' });
});

it('what was typed becomes a parameter', () => {
  const recipe = recipeOf(steps());
  expect(recipe.params).toEqual([{ name: 'password', value: '', secret: true }]);
  const typed = typedIn(recipe);
  expect(typed).toEqual([{ at: 0, name: 'name', value: 'Ada', secret: false }]);
  const made = withParams(recipe, typed);
  expect(made.deeds[0]?.action).toMatchObject({ text: '${name}' });
  expect(made.params.map(({ name }) => name)).toEqual(['password', 'name']);
});

it('an answer about one end of a drag is not taken for the other end', async () => {
  const mark = (ref: string) => markOf(recorded, ref);
  const [first] = steps();
  if (first === undefined) throw new Error('there is no step');
  const drag = {
    action: { do: 'drag' as const, ref: 'e1', to: 'e3' },
    result: { ok: true, text: 'done' },
    mark: mark('e1'),
    toMark: mark('e3'),
  };
  const recipe = recipeOf([{ ...first, deeds: [drag] }]);
  // The start is named otherwise now; the end is as it was.
  const { done, questions } = await play(
    '# Order\ne1 edit First name\ne2 edit Password\ne3 btn Save',
    (_, choices) => choices[0]?.say ?? 'Skip',
    { recipe },
  );
  expect(questions).toHaveLength(1);
  expect(done).toEqual([{ do: 'drag', ref: 'e1', to: 'e3' }]);
});
