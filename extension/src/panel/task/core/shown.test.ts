import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import { ScriptedModel, SmallBrowser, step } from './fakes/world';
import { TaskLoop, type LoopEvent } from './loop';
import type { Answer, Observation } from './types';

const page: Observation = { tab: 't1', url: 'https://a.test/', title: 'A', text: 'e1 btn Save' };
const end = step('finish', { do: 'done', success: true, text: 'Saved.' });
const prose = (): Answer => ({ text: 'I would press Save.', tokens: 1 });

/** Runs a task whose page has these snapshots, one after the other. */
async function run(
  script: (() => Answer)[],
  looks: Observation[],
): Promise<{ model: ScriptedModel; notices: string[] }> {
  const model = new ScriptedModel(script);
  const browser = new SmallBrowser();
  browser.observe = () => Promise.resolve(looks.shift() ?? page);
  const events: LoopEvent[] = [];
  const loop = new TaskLoop({
    goal: 'save it',
    tab: 't1',
    browser,
    model,
    summary: model,
    clock: new FakeClock(),
    now: () => 0,
    vision: true,
    limits: { steps: 40, time: 1e9, tokens: 0, history: 100_000 },
    tell: (event) => {
      events.push(event);
      return Promise.resolve();
    },
  });
  await loop.run();
  return { model, notices: events.flatMap((one) => (one.kind === 'notice' ? [one.text] : [])) };
}

it('what happened by itself is told until the model has answered with a step', async () => {
  const backgroundEvents = {
    lines: ['download: a.csv'],
    told: '<page-1 origin="x">download: a.csv</page-1>',
  };
  const { model, notices } = await run(
    [prose, step('save', { do: 'reload' }), end],
    [{ ...page, backgroundEvents }],
  );
  const report = `- Meanwhile, by itself:\n${backgroundEvents.told}`;
  expect(model.prompts.map(({ text }) => text.includes(report))).toEqual([true, true, false]);
  expect(notices.filter((text) => text === 'download: a.csv')).toHaveLength(1);
});

it('a picture that was asked for is shown until the model has answered with a step', async () => {
  const { model } = await run(
    [step('see', { do: 'screenshot' }), prose, step('save', { do: 'reload' }), end],
    [page, { ...page, picture: 'Zm9v' }],
  );
  expect(model.prompts.map(({ pictures }) => pictures)).toEqual([[], ['Zm9v'], ['Zm9v'], []]);
});

it('the person is told once why a page cannot be seen', async () => {
  const refused = { code: 'refused', message: 'chrome://x is refused', hint: '' };
  const { model, notices } = await run(
    [step('wait', { do: 'tabs' }), step('wait', { do: 'tabs' }), end],
    [{ ...page, refused }, { ...page, refused }, page],
  );
  expect(model.prompts[0]?.text).toContain('The page cannot be seen (refused)');
  expect(notices).toEqual(['The page cannot be read: chrome://x is refused']);
});
