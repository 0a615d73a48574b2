import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import type { LoopEvent } from './events';
import { Planner } from './planner';
import { OutOfTime, RunControl, TabsClosed, Unanswered } from './runcontrol';
import { ModelError, type Answer } from './types';
import { ScriptedModel } from './fakes/world';

let clock: FakeClock;
let events: LoopEvent[];
let control: RunControl;
const tell = (event: LoopEvent): Promise<void> => {
  events.push(event);
  return Promise.resolve();
};
const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};
const statuses = (): string[] =>
  events.flatMap((event) => (event.kind === 'status' ? [event.status] : []));

beforeEach(async () => {
  clock = new FakeClock();
  events = [];
  control = new RunControl({ clock, now: () => clock.now, tell, time: 1_000 });
  await control.start();
});

describe('the time of a task', () => {
  it('is over after what it was given', () => {
    clock.advance(999);
    expect(control.signal.aborted).toBe(false);
    clock.advance(1);
    expect(control.signal.reason).toBeInstanceOf(OutOfTime);
  });

  it('does not pass while the person is waited for', async () => {
    clock.advance(600);
    const asked = control.ask('Which one?');
    await settle();
    clock.advance(50_000);
    control.answer('the blue one');
    expect(await asked).toBe('the blue one');
    expect(control.took).toBe(600);
    clock.advance(399);
    expect(control.signal.aborted).toBe(false);
    clock.advance(1);
    expect(control.signal.aborted).toBe(true);
  });

  it('leaves no deadline behind', () => {
    control.end();
    expect(clock.pending).toBe(0);
  });
});

describe('a question', () => {
  it('is told with its status, and so is the answer', async () => {
    const asked = control.ask('Which one?');
    await settle();
    expect(events.at(-1)).toEqual({ kind: 'status', status: 'waiting', question: 'Which one?' });
    expect([control.answer('a'), control.answer('b')]).toEqual([true, false]);
    expect(await asked).toBe('a');
    expect(events.filter(({ kind }) => kind === 'person')).toEqual([{ kind: 'person', text: 'a' }]);
    expect(statuses()).toEqual(['running', 'waiting', 'running']);
  });

  it('that nobody answers ends the task, and one that was answered does not', async () => {
    const first = control.ask('Which one?');
    control.answer('the blue one');
    control.giveUp();
    await first;
    const asked = control.ask('How many?');
    const failed = expect(asked).rejects.toThrow('asked “How many?”, and nobody answered');
    await settle();
    control.giveUp();
    await failed;
    expect(control.signal.reason).toBeInstanceOf(Unanswered);
  });

  it('nobody asked has no answer', () => {
    expect(control.answer('a')).toBe(false);
  });

  it.each([
    [
      'stopped',
      () => {
        control.stop();
      },
      Error,
    ],
    [
      'left without tabs',
      () => {
        control.lose();
      },
      TabsClosed,
    ],
  ])('ends with a task that is %s', async (_, ends, why) => {
    const asked = control.ask('Which one?');
    const failed = expect(asked).rejects.toBeInstanceOf(why);
    await settle();
    ends();
    await failed;
    expect(statuses()).toEqual(['running', 'waiting']);
  });
});

describe('a pause', () => {
  it('holds the task where it is asked, until it is resumed', async () => {
    await control.hold();
    control.pause();
    let on = false;
    const held = control.hold().then(() => (on = true));
    await settle();
    expect([on, control.status]).toEqual([false, 'paused']);
    expect([control.resume(), control.resume()]).toEqual([true, false]);
    await held;
    expect(statuses()).toEqual(['running', 'paused', 'running']);
  });

  it('taken back before it began holds nothing', async () => {
    control.pause();
    control.resume();
    await control.hold();
    expect(statuses()).toEqual(['running']);
  });

  it('ends with the task', async () => {
    control.pause();
    const held = expect(control.hold()).rejects.toThrow('stopped');
    await settle();
    control.stop();
    await held;
  });
});

describe('a rest', () => {
  it('ends after its time, or with the task', async () => {
    const rested = control.rest(300);
    clock.advance(300);
    await rested;
    const cut = expect(control.rest(300)).rejects.toThrow('stopped');
    control.stop();
    await cut;
    await expect(control.rest(1)).rejects.toThrow('stopped');
    expect(clock.pending).toBe(0);
  });
});

describe('a model', () => {
  const prompt = { system: '', text: '', pictures: [] };
  const says = (): Answer => ({ text: 'yes', tokens: 5 });
  const busy =
    (wait = 0): (() => Answer) =>
    () => {
      throw new ModelError('It is busy.', '', true, wait);
    };
  const plannerOf = (...script: (() => Answer)[]) => {
    const model = new ScriptedModel(script);
    return { model, planner: new Planner(model, control, tell) };
  };
  const notices = (): string[] =>
    events.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
  /** Advances the clock until nothing waits for it. */
  async function rest(): Promise<number> {
    const before = clock.now;
    for (let n = 0; n < 5; n += 1) {
      await settle();
      clock.advance(50);
    }
    return clock.now - before;
  }

  it('is asked once when it answers, and its tokens are counted', async () => {
    const { planner, model } = plannerOf(says);
    expect(await planner.ask(prompt)).toEqual({ text: 'yes', tokens: 5 });
    planner.count(2);
    expect([planner.tokens, model.prompts.length]).toEqual([7, 1]);
  });

  it('is asked three times, each time after a longer rest', async () => {
    const { planner, model } = plannerOf(busy(), busy(100), busy());
    const asked = planner.ask(prompt);
    const failed = expect(asked).rejects.toThrow('It is busy.');
    await settle();
    expect(model.prompts).toHaveLength(1);
    clock.advance(900);
    await settle();
    expect(model.prompts).toHaveLength(1);
    control.end();
    clock.advance(100);
    await settle();
    expect(model.prompts).toHaveLength(2);
    await rest();
    await failed;
    expect(model.prompts).toHaveLength(3);
    expect(notices()).toEqual([
      'It is busy. Trying again in 1 s.',
      'It is busy. Trying again in 1 s.',
    ]);
  });

  it.each([
    ['refuses for good', new ModelError('no key', 'enter it', false)],
    ['breaks', new Error('a fault')],
  ])('that %s is not asked again', async (_, error) => {
    const { planner, model } = plannerOf(() => {
      throw error;
    }, says);
    await expect(planner.ask(prompt)).rejects.toBe(error);
    expect(model.prompts).toHaveLength(1);
  });

  it('that answers after the task was stopped is not obeyed, nor counted', async () => {
    const { planner } = plannerOf(() => {
      control.stop();
      return says();
    });
    await expect(planner.ask(prompt)).rejects.toThrow('stopped');
    expect(planner.tokens).toBe(0);
  });
});
