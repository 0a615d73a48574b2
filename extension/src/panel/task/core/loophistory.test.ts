// A task's history, what it may not do, its rows and its tabs.
import { describe, expect, it } from 'vitest';
import { end, make } from './fakes/loop';
import { step, type SmallBrowser } from './fakes/world';
import { allClosed } from './runcontrol';
import type { Answer, Step } from './types';
describe('the history', () => {
  const many = (n: number): (() => Answer)[] =>
    Array.from({ length: n }, (_, i) => step(`goal ${String(i + 1)}`, { do: 'reload' }));

  it('is told in short when it grows over its budget, and nothing is lost without a word', async () => {
    const written: number[] = [];
    const { loop, events, model } = make(
      [...many(7), () => ({ text: 'Found: 42.', tokens: 5 }), end],
      {
        limits: { steps: 40, time: 1e9, tokens: 0, history: 400 },
        // Called before waiting for the model.
        written: () => Promise.resolve(void written.push(model.prompts.length)),
      },
    );
    await loop.run();
    expect(written).toEqual([7]);
    const summary = events.find((e) => e.kind === 'summary');
    expect(summary).toMatchObject({ summary: 'Found: 42.', from: 1 });
    const last = model.prompts.at(-1)?.text ?? '';
    expect(last).toContain('Found: 42.');
    expect(last).not.toContain('goal 1 ');
    expect(last).toContain('goal 7');
  });

  it('is a list of what was done where the model makes no short form', async () => {
    const { loop, events } = make(
      [
        ...many(7),
        () => {
          throw new Error('no');
        },
        end,
      ],
      { limits: { steps: 40, time: 1e9, tokens: 0, history: 400 } },
    );
    await loop.run();
    expect(events.find((e) => e.kind === 'summary')).toMatchObject({ summary: '1. goal 1' });
  });

  it('keeps within its budget, whatever the steps say, and says what is left out', async () => {
    const long = (n: number): (() => Answer) =>
      step(`goal ${String(n)} ${'x'.repeat(300)}`, { do: 'reload' });
    const none = (): Answer => ({ text: '', tokens: 1 });
    const { loop, model } = make(
      [long(1), long(2), long(3), none, long(4), none, long(5), none, long(6), none, end],
      { limits: { steps: 40, time: 1e9, tokens: 0, history: 800 } },
    );
    expect((await loop.run()).state).toBe('done');
    const last = model.prompts.at(-1)?.text ?? '';
    expect(last).toContain('characters of older notes are left out');
    expect(last).toContain('6. goal 6');
    expect(last.slice(last.indexOf('# The first'), last.indexOf('# The page')).length).toBeLessThan(
      1000,
    );
  });

  it('keeps what the model wanted to remember until it says something else', async () => {
    const said =
      (memory: string): (() => Answer) =>
      () => ({
        text: '',
        input: { evaluation: '', memory, goal: 'g', actions: [{ do: 'reload' }] },
        tokens: 1,
      });
    const { loop, model } = make([said('the name is Ada'), said(''), said('it is Bob'), end]);
    await loop.run();
    expect(model.prompts[2]?.text).toContain('# Memory\nthe name is Ada');
    expect(model.prompts[3]?.text).toContain('# Memory\nit is Bob');
  });

  it('goes on where a task was interrupted', async () => {
    const done: Step = {
      n: 1,
      tab: 't1',
      url: 'https://a.test/',
      title: 'A',
      thought: { evaluation: '', memory: 'the name is Ada', goal: 'first', actions: [] },
      deeds: [],
      tokens: 70,
      took: 1,
      modelTook: 1,
    };
    const { loop, model, events } = make([end], {
      restored: { steps: [done], summary: '', from: 0, tokens: 70 },
    });
    await loop.run();
    expect(model.prompts[0]?.text).toContain('the name is Ada');
    expect(model.prompts[0]?.text).toContain('interrupted');
    expect(events.find((e) => e.kind === 'step')).toMatchObject({ step: { n: 2 } });
    expect(loop.tokens).toBe(170);
  });
});

describe('what a model may not do', () => {
  it('is refused as an observation: JavaScript and pictures that are off', async () => {
    const { loop, browser, model } = make([
      step('run', { do: 'eval', code: '1' }),
      step('see', { do: 'screenshot' }),
      end,
    ]);
    await loop.run();
    expect(browser.done).toEqual([]);
    expect(model.prompts[1]?.text).toContain('FAILED (refused): JavaScript is off for tasks');
    expect(model.prompts[2]?.text).toContain('You cannot see images');
  });
});

describe('data', () => {
  const rows = '[{"name": "Ada", "age": 36}]';
  const said =
    (text: string): (() => Answer) =>
    () => ({ text, tokens: 10 });
  const want = { do: 'extract', fields: ['name', 'age'] } as const;

  it('is collected as rows with the fields that were asked for', async () => {
    const { loop, model } = make([
      step('collect', { ...want, fields: [...want.fields] }),
      said(`\`\`\`json\n${rows}\n\`\`\``),
      end,
    ]);
    await loop.run();
    expect(model.prompts[2]?.text).toContain('"name": "Ada"');
    expect(loop.tokens).toBe(210);
  });

  it('of another form is asked for again, and then a result in words', async () => {
    const { loop, model } = make([
      step('collect', {
        do: 'extract',
        schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
      }),
      said('I cannot.'),
      said('{"total": "much"}'),
      end,
    ]);
    await loop.run();
    expect(model.prompts[2]?.text).toContain('Your last answer was wrong: it is no JSON');
    expect(model.prompts[3]?.text).toContain(
      '"total" of the answer is of type string and should be number',
    );
  });
});

describe('tabs', () => {
  it('are switched only within the task', async () => {
    const { loop, browser, model } = make([
      step('other', { do: 'switch_tab', tab: '9' }),
      step('other', { do: 'switch_tab', tab: '2' }),
      end,
    ]);
    browser.pages.t2 = { tab: 't2', url: 'https://b.test/', title: 'B', text: 'e1 link "B"' };
    await loop.run();
    expect(model.prompts[1]?.text).toContain('t9 does not belong to the task; it has t1, t2.');
    expect(model.prompts[2]?.text).toContain('# The page in t2');
  });

  it('that the person closes are left', async () => {
    const { loop, browser, model } = make([step('wait', { do: 'reload' }), end]);
    browser.pages.t2 = { tab: 't2', url: 'https://b.test/', title: 'B', text: '' };
    browser.answer = () => {
      delete browser.pages.t1;
      return { ok: true, text: 'x' };
    };
    await loop.run();
    expect(model.prompts[1]?.text).toContain('The tab t1 was closed; the task goes on in t2.');
  });

  it('all closed, the task fails in words', async () => {
    const { loop, browser } = make([step('wait', { do: 'reload' })]);
    browser.answer = () => {
      browser.pages = {};
      return { ok: true, text: 'x' };
    };
    expect(await loop.run()).toMatchObject({
      state: 'failed',
      text: 'All tabs of the task were closed.',
    });
  });

  it('that the last step opened may be known only when that is written', async () => {
    const pages: SmallBrowser['pages'] = {};
    let asked = 0;
    const { loop, browser, events } = make([step('go', { do: 'click', ref: 'e1' }), end], {
      written: () => {
        asked += 1;
        browser.pages = pages;
        return Promise.resolve();
      },
    });
    browser.answer = () => {
      const { t1 } = browser.pages;
      if (t1 !== undefined) pages.t2 = { ...t1, tab: 't2' };
      browser.pages = {};
      return { ok: true, text: 'It opened t2 and closed itself.' };
    };
    expect((await loop.run()).state).toBe('done');
    expect(asked).toBe(1);
    expect(events.filter(({ kind }) => kind === 'observed').at(-1)).toMatchObject({
      page: { tab: 't2' },
    });
  });

  it('that the backend knows to be closed before the panel does are left', async () => {
    const { loop, browser } = make([step('wait', { do: 'reload' })]);
    const refused = { code: 'unknown_tab', message: 'there is no tab t1', hint: '' };
    browser.answer = () => {
      browser.pages.t1 = { tab: 't1', url: '', title: '', text: '', refused };
      return { ok: false, code: 'unknown_tab', text: 'there is no tab t1' };
    };
    expect(await loop.run()).toMatchObject({ state: 'failed', text: allClosed });
  });

  it('all closed while it waits for an answer, the task does not wait on', async () => {
    const { loop, until } = make([step('ask', { do: 'ask', question: 'Which?' })]);
    const run = loop.run();
    await until('status').then(() => until('status'));
    loop.lose();
    expect(await run).toEqual({
      state: 'failed',
      text: 'All tabs of the task were closed.',
      hint: 'Start it again in another tab.',
    });
  });
});
