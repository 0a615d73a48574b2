import type { Task } from '$ui/protocol/protocol';
import { expect, it } from 'vitest';
import { asJSON, asMarkdown } from './export';

const task: Task = {
  id: 'a',
  title: 'Fill the <form>',
  goal: 'Fill the <form>\n# for Ada',
  tabs: ['t1'],
  state: 'done',
  summary: 'It is saved.\n# Really',
  steps: 1,
  maxSteps: 40,
  tokens: 12,
  budget: 0,
  created: '2026-11-21T10:00:00Z',
  updated: '2026-11-21T10:00:00Z',
  index: 2,
};

it('as Markdown a task can be read, and no words of the page are headings', () => {
  const { name, text } = asMarkdown(task, [
    {
      kind: 'step',
      key: 's1',
      whole: true,
      step: {
        n: 1,
        tab: 't1',
        url: 'https://a.test/x y',
        title: '',
        thought: { evaluation: '', memory: '', goal: 'Save it', actions: [] },
        deeds: [
          {
            action: { do: 'click', ref: 'e1' },
            result: {
              ok: false,
              text: '<page-0a origin="https://a.test">\n# gone\n<b>\n</page-0a>',
            },
          },
        ],
        tokens: 1,
        took: 1,
        modelTook: 1,
      },
    },
    { kind: 'person', key: 'l1', text: 'go on' },
  ]);
  expect(name).toBe('task-fill-the-form.md');
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# Fill the \\<form>',
    '## 1. Save it',
    '## Result',
  ]);
  expect(text).toContain('- **Failed:** Click e1\n  > # gone\n  > \\<b>');
  expect(text).toContain('<https://a.test/x%20y>');
  expect(text).toContain('**You:** go on');
});

it('as JSON it has everything that was written', () => {
  const events = [{ index: 1, kind: 'notice' as const, at: task.created, data: { text: 'x' } }];
  expect(JSON.parse(asJSON(task, events).text)).toEqual({ version: 1, task, events });
});
