import type { TaskPlainReply } from '$ui/protocol/protocol';
import { expect, it } from 'vitest';
import { readAnswer } from '../core/step';
import type { Action, Result, Step, Thought } from '../core/types';
import { carriedOut, instructionsIn, Plain, type Asked } from './plain';

const prompt = {
  system: '',
  text: '',
  pictures: [],
  tool: { name: 'step', about: '', schema: {} },
};
const never = new AbortController().signal;
const click = (target: string): Partial<TaskPlainReply> => ({
  commands: [{ command: 'click', args: { target } }],
});

/** Plain instructions with these replies of the app, and the requests to it. */
function instructions(
  titles: readonly string[],
  replies: Partial<TaskPlainReply>[],
  done = 0,
): { plain: Plain; asked: Asked[] } {
  const asked: Asked[] = [];
  const plain = new Plain({
    done,
    ask(one) {
      asked.push({ ...one, tried: [...(one.tried ?? [])], chosen: [...(one.chosen ?? [])] });
      const reply = replies.shift();
      if (reply === undefined) throw new Error('nothing more was to be asked');
      return Promise.resolve({ steps: [...titles], ...reply });
    },
  });
  plain.add('the words', titles);
  return { plain, asked };
}

/** One turn: returns its thought, and records these results. */
async function turn(plain: Plain, ...results: Partial<Result>[]): Promise<Thought> {
  const { thought } = readAnswer(await plain.complete(prompt, never));
  if (thought === undefined) throw new Error('it was no step');
  const made = results.length === 0 ? thought.actions.map(() => ({})) : results;
  plain.told(stepOf(thought, made));
  return thought;
}

function stepOf(thought: Thought, results: Partial<Result>[], n = 1): Step {
  const deeds = results.map((result, i) => ({
    action: thought.actions[i] ?? ({ do: 'back' } satisfies Action),
    result: { ok: true, text: '', ...result },
  }));
  return { n, tab: 't1', url: 'u', title: '', thought, deeds, tokens: 0, took: 0, modelTook: 0 };
}

it('each turn is the next instruction, and the end says what came of all', async () => {
  const { plain, asked } = instructions(
    ['List the links', 'Click Save', 'Read the page'],
    [{ said: 'There is one link.' }, click('e1'), { said: 'Hello.' }],
  );
  expect(await turn(plain)).toMatchObject({
    evaluation: 'There is one link.',
    goal: 'Click Save',
    actions: [{ do: 'click', ref: 'e1' }],
  });
  expect((await turn(plain)).actions).toEqual([
    {
      do: 'done',
      success: true,
      text: 'All 3 instructions are done.\n\nThere is one link.\n\nHello.',
    },
  ]);
  expect(asked.map(({ step }) => step)).toEqual([0, 1, 2]);
});

it('what failed is told, so that another way is taken, or none', async () => {
  const { plain, asked } = instructions(
    ['Choose France', 'Click Save'],
    [
      { commands: [{ command: 'select', args: { target: 'e1', value: 'france' } }] },
      { commands: [{ command: 'select', args: { target: 'e1', value: 'France' } }] },
      { error: { code: 'disabled', message: 'it is disabled', hint: 'wait' } },
    ],
  );
  await turn(plain, { ok: false, code: 'bad_argument', text: 'no such option' });
  await turn(plain, { ok: false, code: 'disabled', text: 'it is disabled' });
  expect((await turn(plain)).actions).toEqual([
    {
      do: 'done',
      success: false,
      text: 'Stopped at “Choose France”. It is disabled. Wait.\nNot done: Click Save.',
    },
  ]);
  expect(asked.at(-1)?.tried).toEqual([
    { error: { code: 'bad_argument', message: 'no such option' } },
    { error: { code: 'disabled', message: 'it is disabled' } },
  ]);
});

it('what may be several things is asked, and the answer counts', async () => {
  const two: Partial<TaskPlainReply> = {
    error: { code: 'ambiguous', message: '2 elements on this page match “Save”' },
    choices: [
      { ref: 'e1', name: 'Save', kind: 'button', where: 'the header' },
      { ref: 'e2', name: 'Save', kind: 'button' },
    ],
  };
  const { plain, asked } = instructions(['Click Save'], [two, two, click('e2'), {}]);
  const wonders = await turn(plain, { text: 'The person answers: what?' });
  expect(wonders.actions).toEqual([
    { do: 'ask', question: '2 elements on this page match “Save”. Which one do you mean?' },
  ]);
  const { thought } = readAnswer(await plain.complete(prompt, never));
  expect(plain.choices).toEqual([
    { say: '1. “Save” (button)', ref: 'e1', where: 'the header' },
    { say: '2. “Save” (button)', ref: 'e2' },
    { say: 'Look again' },
    { say: 'Skip this step' },
    { say: 'Stop the task' },
  ]);
  if (thought === undefined) throw new Error('it was no step');
  plain.told(stepOf(thought, [{ text: 'in any words', answer: '2' }]));
  expect((await turn(plain)).actions).toEqual([{ do: 'click', ref: 'e2' }]);
  expect(asked.map(({ chosen }) => chosen)).toEqual([[], [], ['e2']]);
});

it.each([
  ['skip', { do: 'done', success: true, text: 'There was nothing left to do.' }],
  ['Stop the task', { do: 'done', success: false, text: 'Stopped at “Click Save”.' }],
])('an instruction that nobody can place is left by %s', async (said, action) => {
  const choices = [{ ref: 'e1', name: 'Safe' }];
  const { plain } = instructions(
    ['Click Save'],
    [{ error: { code: 'no_element', message: 'nothing is called so' }, choices }],
  );
  const asks = await turn(plain, { text: `The person answers: ${said}` });
  expect(asks.actions).toEqual([
    { do: 'ask', question: 'Nothing is called so. Do you mean one of these?' },
  ]);
  expect((await turn(plain)).actions).toEqual([action]);
});

it('a task that was interrupted goes on at its instruction', async () => {
  const first = instructions(
    ['Go back', 'Click Save', 'Click OK'],
    [{ commands: [{ command: 'back' }] }, click('e1')],
  );
  const steps = [
    stepOf(await turn(first.plain), [{}]),
    stepOf(await turn(first.plain, { ok: false }), [{ ok: false }]),
  ];
  expect(carriedOut(steps)).toBe(1);
  const next = instructions(
    ['Go back', 'Click Save', 'Click OK'],
    [click('e1'), click('e2')],
    carriedOut(steps),
  );
  expect((await turn(next.plain)).goal).toBe('Click Save');
  expect((await turn(next.plain)).goal).toBe('Click OK');
});

it('a wait that the page cut short is waited to its end', async () => {
  const { plain } = instructions(
    ['Wait 15 s'],
    [{ commands: [{ command: 'wait', args: { for: 'time', value: '15000' } }] }],
  );
  expect((await turn(plain, {})).actions).toHaveLength(2);
  expect((await turn(plain)).actions).toEqual([{ do: 'wait', for: 'time', value: '5000' }]);
  expect((await turn(plain)).actions).toMatchObject([{ do: 'done', success: true }]);
});

it('what was said in its middle is an instruction, an answer is none', () => {
  const line = (kind: 'person' | 'question' | 'notice', text: string) => ({
    kind,
    key: text,
    text,
  });
  expect(
    instructionsIn('go back', [
      line('person', 'click Save'),
      line('question', 'Which?'),
      line('person', '2'),
      line('notice', 'A note.'),
      line('person', 'scroll down'),
    ]),
  ).toEqual(['go back', 'click Save', 'scroll down']);
});

it('tells old steps in short without words of its own', async () => {
  const { plain } = instructions(['Go back'], []);
  expect(await plain.complete({ system: '', text: '', pictures: [] }, never)).toEqual({
    text: '',
    tokens: 0,
  });
});
