import { expect, it } from 'vitest';
import { recorded, untold } from './record';
import type { Step } from './types';

const typing: Step = {
  n: 1,
  tab: 't1',
  url: 'https://a.test/',
  title: 'A',
  thought: {
    evaluation: '',
    memory: 'The password is hunter2.',
    goal: 'Type hunter2.',
    actions: [{ do: 'type', ref: 'e2', text: 'hunter2' }],
  },
  deeds: [
    {
      action: { do: 'type', ref: 'e1', text: 'Ada' },
      result: { ok: true, text: 'typed, it holds "Ada"' },
    },
    {
      action: { do: 'type', ref: 'e2', text: 'hunter2' },
      result: { ok: true, text: 'typed', secret: true },
    },
  ],
  tokens: 0,
  took: 0,
  modelTook: 0,
};

it('what is written of a step has what its elements were, and no secret', () => {
  const step = recorded(typing, 'e1 edit Name\ne2 edit Password', []);
  expect(step.deeds.map(({ mark }) => mark?.name)).toEqual(['Name', 'Password']);
  expect(step.deeds.map(({ action }) => action)).toMatchObject([{ text: 'Ada' }, { text: '•••' }]);
  expect(JSON.stringify(step)).not.toContain('hunter2');
});

it('a value that is known to be a secret is told nowhere', () => {
  const step = recorded(typing, '', ['Ada', 'hunter2']);
  expect(step.deeds[0]?.action).toMatchObject({ text: '•••' });
  expect(JSON.stringify(step)).not.toContain('hunter2');
});

it('a thought that is written before it is done tells nothing that is typed', () => {
  expect(untold(typing).thought.actions).toEqual([{ do: 'type', ref: 'e2', text: '…' }]);
});
