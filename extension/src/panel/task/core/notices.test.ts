import { describe, expect, it } from 'vitest';
import type { LoopEvent } from './events';
import { performed, stepOf } from './fakes/steps';
import { Notices, stuck } from './notices';
import type { Observation } from './types';

function make(): { notices: Notices; shown: string[] } {
  const shown: string[] = [];
  const notices = new Notices((event: LoopEvent) => {
    if (event.kind === 'notice') shown.push(event.text);
    return Promise.resolve();
  });
  return { notices, shown };
}

const page = (part: Partial<Observation> = {}): Observation => ({
  tab: 't1',
  url: 'https://a.test/',
  title: 'A',
  text: '',
  ...part,
});
const click = { do: 'click', ref: 'e1' } as const;
const failed = (code = 'covered') =>
  stepOf(1, 'g', performed(click, { ok: false, code, text: 'no' }));

describe('what the model is told beside the page', () => {
  it('goes with one prompt; what comes while it thinks goes with the next', () => {
    const { notices } = make();
    notices.add('first');
    notices.add('first');
    expect(notices.take()).toEqual(['first']);
    notices.add('meanwhile');
    notices.told();
    expect(notices.take()).toEqual(['meanwhile']);
  });

  it('stays until the model was told', () => {
    const { notices } = make();
    notices.add('first');
    notices.take();
    expect(notices.take()).toEqual(['first']);
  });

  it('is reported in an envelope for the model, and in lines for the user', async () => {
    const { notices, shown } = make();
    await notices.observe(
      page({ backgroundEvents: { lines: ['a tab opened'], told: '<page-1>…</page-1>' } }),
      9,
    );
    expect(notices.take()).toEqual(['Meanwhile, by itself:\n<page-1>…</page-1>']);
    expect(shown).toEqual(['a tab opened']);
  });

  it('says once to the person why a page cannot be read, and again for another reason', async () => {
    const { notices, shown } = make();
    const refused = (code: string, message: string) =>
      page({ refused: { code, message, hint: '' } });
    for (const one of [
      refused('crashed', 'it crashed'),
      refused('crashed', 'it crashed'),
      refused('dialog', 'a dialog is open'),
      refused('crashed', 'it crashed'),
    ])
      await notices.observe(one, 9);
    expect(shown).toEqual([
      'The page cannot be read: it crashed',
      'The page cannot be read: it crashed',
    ]);
  });

  it('says to the person when a tab is worked on by the page’s own events, not to the model', async () => {
    const { notices, shown } = make();
    for (const byPage of [true, true, false, true]) await notices.observe(page({ byPage }), 9);
    expect(shown).toHaveLength(2);
    expect(notices.take()).toEqual([]);
  });

  it.each([
    [6, []],
    [5, ['Only 5 steps are left.']],
    [1, ['Only 1 step is left.']],
  ])('warns when %i steps are left: %j', async (left, expected) => {
    const { notices } = make();
    await notices.observe(page(), left);
    expect(notices.take()).toEqual(expected);
  });

  it('tells of another page, but not where the step or another tab led there', async () => {
    const { notices } = make();
    const other = page({ url: 'https://a.test/2' });
    await notices.observe(page(), 9);
    await notices.observe(other, 9);
    expect(notices.take()).toEqual(['The page is another one now: https://a.test/2']);
    notices.told();
    notices.done(stepOf(1, 'g', performed(click, { moved: true })));
    await notices.observe(page(), 9);
    await notices.observe(page({ tab: 't2', url: 'https://b.test/' }), 9);
    expect(notices.take()).toEqual([]);
  });
});

describe('an action that fails', () => {
  it('is complained of at the second time, and is stuck at the third', () => {
    const { notices } = make();
    expect(notices.done(failed())).toBeUndefined();
    expect(notices.take()).toEqual([]);
    expect(notices.done(failed())).toBeUndefined();
    expect(notices.take()[0]).toContain('failed 2 times in the same way');
    expect(notices.done(failed())?.action).toEqual(click);
    // The user was asked about it, so the count starts again.
    expect(notices.done(failed())).toBeUndefined();
  });

  it.each([
    ['it worked meanwhile', stepOf(1, 'g', performed(click))],
    ['the page is another one', { ...failed(), url: 'https://b.test/' }],
    ['the tab is another one', { ...failed(), tab: 't2' }],
  ])('is not stuck when %s', (_, between) => {
    const { notices } = make();
    notices.done(failed());
    notices.done(between);
    notices.done(failed());
    expect(notices.take()).toEqual([]);
  });

  it('counts each reason by itself', () => {
    const { notices } = make();
    for (const code of ['covered', 'hidden', 'gone']) notices.done(failed(code));
    expect(notices.take()).toEqual([]);
    notices.done(failed('hidden'));
    expect(notices.take()).toHaveLength(1);
  });

  it('is asked about with its reason, without what the page said', () => {
    const text = '<page-1 origin="x">\nit is covered by a dialog\n</page-1>';
    expect(stuck({ ...performed(click, { ok: false, text }), target: 'btn Save' })).toBe(
      '“Click “Save” (button)” failed 3 times in the same way: it is covered by a dialog. What should the task do?',
    );
  });

  it('leaves the rest of its step undone', () => {
    const { notices } = make();
    notices.left(1, 'one before failed');
    notices.left(2, 'the page changed');
    expect(notices.take()).toEqual([
      '1 further action was not done, because one before failed.',
      '2 further actions were not done, because the page changed.',
    ]);
  });
});
