import { describe, expect, it } from 'vitest';
import { end, kinds, make } from './fakes/loop';
import { step } from './fakes/world';
import { targetOf } from './loop';
import { ModelError, type Answer } from './types';
describe('a task', () => {
  it('observes, thinks, acts and records until it is done', async () => {
    const { loop, events, browser, model } = make([step('save', { do: 'click', ref: 'e1' }), end]);
    expect(await loop.run()).toEqual({ state: 'done', text: 'Saved.' });
    expect(browser.done).toEqual([{ tab: 't1', action: { do: 'click', ref: 'e1' } }]);
    const turn = ['observed', 'thinking', 'thought', 'acting', 'step'];
    expect(kinds(events)).toEqual(['status', ...turn, ...turn, 'end']);
    expect(loop.tokens).toBe(200);
    expect(model.prompts[1]?.text).toContain('Click button "Save": done');
  });

  it('that the model calls unsuccessful has failed', async () => {
    const { loop } = make([
      step('give up', { do: 'done', success: false, text: 'There is no form.' }),
    ]);
    expect(await loop.run()).toEqual({ state: 'failed', text: 'There is no form.' });
  });

  it('stops a sequence when the page changes under it, and says so', async () => {
    const { loop, browser, model } = make([
      step(
        'go',
        { do: 'goto', url: 'b.test' },
        { do: 'click', ref: 'e1' },
        { do: 'click', ref: 'e2' },
      ),
      end,
    ]);
    browser.answer = () => ({ ok: true, text: 'Now at b.test.', moved: true });
    await loop.run();
    expect(browser.done).toHaveLength(1);
    expect(model.prompts[1]?.text).toContain(
      '2 further actions were not done, because the page changed',
    );
  });

  it('tells the model what failed, and when it repeats itself', async () => {
    const again = step('save', { do: 'click', ref: 'e1' }, { do: 'click', ref: 'e2' });
    const { loop, browser, model } = make([again, again, end]);
    browser.answer = () => ({
      ok: false,
      code: 'covered',
      text: 'e1 is covered by dialog "Cookies".',
    });
    await loop.run();
    expect(model.prompts[1]?.text).toContain(
      'FAILED (covered): e1 is covered by dialog "Cookies".',
    );
    expect(model.prompts[1]?.text).toContain(
      '1 further action was not done, because one before failed',
    );
    expect(model.prompts[2]?.text).toContain('failed 2 times in the same way');
  });

  it('asks the user, with the reason, when the same action failed three times in the same way', async () => {
    const again = step('save', { do: 'click', ref: 'e1' });
    const observe = step('look', { do: 'read' });
    const script = [again, observe, again, again, end];
    const { loop, browser, model, events, until } = make(script);
    browser.answer = (action) =>
      action.do === 'click'
        ? { ok: false, code: 'covered', text: 'e1 is covered by dialog “Cookies”.' }
        : { ok: true, text: 'Read.' };
    const over = loop.run();
    for (let asked = false; !asked;) {
      const event = await until('status');
      asked = event.kind === 'status' && event.status === 'waiting';
    }
    const asked = events.at(-1);
    expect(asked?.kind === 'status' && asked.question).toMatch(
      /^“Click .*” failed 3 times in the same way: e1 is covered by dialog “Cookies”\. What/,
    );
    expect(loop.choices.map(({ say }) => say)).toContain('Stop the task');
    loop.say('Close the dialog first');
    expect((await over).state).toBe('done');
    expect(loop.choices).toEqual([]);
    expect(model.prompts.at(-1)?.text).toContain('The person says: Close the dialog first');
  });

  it('ends when the user stops it at an action that fails again and again', async () => {
    const again = step('save', { do: 'click', ref: 'e1' });
    const { loop, browser, until } = make([again, again, again, end]);
    browser.answer = () => ({ ok: false, code: 'covered', text: 'e1 is covered.' });
    const over = loop.run();
    for (let asked = false; !asked;) {
      const event = await until('status');
      asked = event.kind === 'status' && event.status === 'waiting';
    }
    loop.say('Stop the task');
    expect((await over).state).toBe('stopped');
  });

  it('tells the model of an error in its tools instead of swallowing it', async () => {
    const { loop, browser, model } = make([step('save', { do: 'click', ref: 'e1' }), end]);
    browser.answer = () => Promise.reject(new Error('undefined'));
    expect((await loop.run()).state).toBe('done');
    expect(model.prompts[1]?.text).toContain(
      'FAILED (internal): Something went wrong that gave no reason.',
    );
  });

  it('ends when its steps are used up, after a warning', async () => {
    const { loop, model } = make(
      Array.from({ length: 3 }, () => step('again', { do: 'reload' })),
      { limits: { steps: 3, time: 1e9, tokens: 0, history: 1e5 } },
    );
    expect(await loop.run()).toMatchObject({
      state: 'failed',
      hint: expect.stringContaining('smaller tasks') as string,
    });
    expect(model.prompts.at(-1)?.text).toContain('Only 1 step is left');
  });

  it('ends when its tokens or its time are used up', async () => {
    const forever = (): (() => Answer)[] =>
      Array.from({ length: 9 }, () => step('again', { do: 'reload' }));
    const tokens = make(forever(), { limits: { steps: 40, time: 1e9, tokens: 150, history: 1e5 } });
    expect((await tokens.loop.run()).text).toContain('token limit');
    expect(tokens.loop.tokens).toBe(200);
    let at = 0;
    const time = make(forever(), {
      now: () => (at += 10),
      limits: { steps: 40, time: 100, tokens: 0, history: 1e5 },
    });
    expect((await time.loop.run()).text).toContain('time limit');
  });

  it('ends with its time also while a model hangs', async () => {
    let asked: () => void;
    const thinks = new Promise<void>((resolve) => (asked = resolve));
    const { loop, clock } = make([
      (_, signal) =>
        new Promise<Answer>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
          asked();
        }),
    ]);
    const running = loop.run();
    await thinks;
    clock.advance(1e9);
    expect(await running).toMatchObject({
      state: 'failed',
      text: 'The task reached its time limit.',
    });
    expect(clock.pending).toBe(0);
  });

  it('has no deadline while it waits for the person', async () => {
    let now = 0;
    const { loop, clock, until } = make([step('ask', { do: 'ask', question: 'Which?' }), end], {
      now: () => now,
    });
    const running = loop.run();
    await until('status').then(() => until('status'));
    expect(clock.pending).toBe(0);
    now += 2e9;
    loop.say('this one');
    expect(await running).toMatchObject({ state: 'done' });
  });
});

describe('the person', () => {
  it('stops a task within one action', async () => {
    const { loop, browser } = make([
      step('save', { do: 'click', ref: 'e1' }, { do: 'click', ref: 'e2' }),
    ]);
    browser.answer = () => {
      loop.stop();
      return { ok: true, text: 'clicked' };
    };
    expect(await loop.run()).toEqual({ state: 'stopped', text: 'Stopped by you.' });
    expect(browser.done).toHaveLength(1);
  });

  it('stops a task while the model thinks', async () => {
    const { loop, until } = make([
      () =>
        new Promise<Answer>(() => {
          loop.stop();
        }),
    ]);
    // The model's request ends with its signal, as that of a real model does.
    const ended = until('end');
    void loop.run();
    loop.stop();
    expect(await ended).toMatchObject({ outcome: { state: 'stopped' } });
  });

  it('is asked, and the answer is a result', async () => {
    const { loop, model, until } = make([step('ask', { do: 'ask', question: 'Which size?' }), end]);
    const running = loop.run();
    const asked = await until('status').then(() => until('status'));
    expect(asked).toMatchObject({ status: 'waiting', question: 'Which size?' });
    loop.say('Medium');
    expect(await running).toMatchObject({ state: 'done' });
    expect(model.prompts[1]?.text).toContain('The person answers: Medium');
  });

  it('takes over at once, though an action waits', async () => {
    const { loop, browser, model } = make([step('one', { do: 'click', ref: 'e1' }), end]);
    const waits = (): boolean => browser.done.length === 1;
    browser.act = (tab, action, signal) => {
      browser.done.push({ tab, action });
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    };
    const running = loop.run();
    while (!waits()) await Promise.resolve();
    loop.takeOver();
    while (loop.status !== 'paused') await Promise.resolve();
    loop.resume();
    expect(await running).toMatchObject({ state: 'done' });
    expect(model.prompts[1]?.text).toContain('The person took over during this action.');
  });

  it('holds a task between two actions, and says what they did', async () => {
    const { loop, browser, model, events } = make([
      step('two', { do: 'click', ref: 'e1' }, { do: 'click', ref: 'e2' }),
      end,
    ]);
    browser.answer = ({ do: name }) => {
      if (name === 'click' && browser.done.length === 1) loop.pause();
      return { ok: true, text: 'clicked' };
    };
    const running = loop.run();
    while (loop.status !== 'paused') await Promise.resolve();
    expect(browser.done).toHaveLength(1);
    loop.resume('clicked link "Terms"');
    expect(await running).toMatchObject({ state: 'done' });
    expect(browser.done).toHaveLength(2);
    expect(model.prompts[1]?.text).toContain(
      'The person had taken over, and did: clicked link "Terms"',
    );
    expect(events.filter((e) => e.kind === 'status').map((e) => e.status)).toEqual([
      'running',
      'paused',
      'running',
    ]);
  });

  it('says something while the model thinks, and the next turn tells it', async () => {
    const { loop, model } = make([
      (): Answer => {
        loop.say('not that one');
        return step('save', { do: 'click', ref: 'e1' })();
      },
      end,
    ]);
    await loop.run();
    expect(model.prompts[1]?.text).toContain('The person says: not that one');
  });

  it('says something in the middle', async () => {
    const { loop, model, browser } = make([step('save', { do: 'click', ref: 'e1' }), end]);
    browser.answer = () => {
      loop.say('not that one');
      return { ok: true, text: 'clicked' };
    };
    await loop.run();
    expect(model.prompts[1]?.text).toContain('The person says: not that one');
  });
});

describe('a model', () => {
  it('that answers wrongly is told, three times at most', async () => {
    const wrong = (): Answer => ({ text: 'Sure!', tokens: 1 });
    const { loop, model, events } = make([wrong, end]);
    expect((await loop.run()).state).toBe('done');
    expect(model.prompts[1]?.text).toContain('words instead of the tool');
    expect(events.filter(({ kind }) => kind === 'notice')).toEqual([
      {
        kind: 'notice',
        text: 'The model’s answer named no action that Task knows. It is asked again.',
      },
    ]);
    const never = make([wrong, wrong, wrong]);
    expect(await never.loop.run()).toMatchObject({
      state: 'failed',
      hint: 'Choose another model for tasks.',
    });
  });

  it('that is busy is asked again after the wait that it names', async () => {
    const busy = (): Answer => {
      throw new ModelError('Too many requests.', 'Wait.', true, 7000);
    };
    const { loop, clock, until } = make([busy, end]);
    const running = loop.run();
    expect(await until('notice')).toMatchObject({
      text: 'Too many requests. Trying again in 7 s.',
    });
    // One timer is the task's deadline, the other the delay before the retry.
    while (clock.pending < 2) await Promise.resolve();
    clock.advance(6999);
    expect(loop.tokens).toBe(0);
    clock.advance(1);
    expect((await running).state).toBe('done');
  });

  it('that refuses for good ends the task with what to do', async () => {
    const refused = (): Answer => {
      throw new ModelError('The key is refused.', 'Enter it again.', false);
    };
    expect(await make([refused]).loop.run()).toEqual({
      state: 'failed',
      text: 'The key is refused.',
      hint: 'Enter it again.',
    });
  });
});

it('the line of an element is found by its ref', () => {
  expect(targetOf('  e1 button "A"\n  e12 link "B" →/x', { do: 'click', ref: 'e1' })).toBe(
    'button "A"',
  );
  expect(targetOf('e12 link "B"', { do: 'click', ref: 'e1' })).toBeUndefined();
});
