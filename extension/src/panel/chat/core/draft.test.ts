import { beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../core/fakes/clock';
import { DRAFT_LATEST, DRAFT_QUIET } from '../../core/timing';
import { Draft } from './draft';

let clock: FakeClock;
let saved: string[];
let saving: Promise<void>;
let draft: Draft;

beforeEach(() => {
  clock = new FakeClock();
  saved = [];
  saving = Promise.resolve();
  draft = new Draft(clock, ({ text }) => {
    saved.push(text);
    return saving;
  });
});

it('is saved once, after the last key', () => {
  draft.change({ text: 'a' });
  clock.advance(DRAFT_QUIET - 1);
  draft.change({ text: 'ab' });
  clock.advance(DRAFT_QUIET);
  expect(saved).toEqual(['ab']);
  expect(clock.pending).toBe(0);
});

it('is saved now and then while somebody types on', () => {
  for (let typed = 0; typed <= DRAFT_LATEST; typed += DRAFT_QUIET / 2) {
    draft.change({ text: String(typed) });
    clock.advance(DRAFT_QUIET / 2);
  }
  expect(saved).toHaveLength(1);
});

it('is saved at once when the panel goes, and not at all when it was sent', () => {
  draft.change({ text: 'a' });
  draft.flush();
  draft.change({ text: 'b' });
  draft.drop();
  clock.advance(DRAFT_LATEST);
  expect(saved).toEqual(['a']);
});

it('does not come back after it was sent, however late its save ends', async () => {
  let done = (): void => undefined;
  saving = new Promise((resolve) => {
    done = resolve;
  });
  draft.change({ text: 'a' });
  draft.flush();
  draft.drop();
  draft.clear(false);
  expect(saved).toEqual(['a']);
  done();
  await saving;
  await Promise.resolve();
  expect(saved).toEqual(['a', '']);
});

it('stays when it was begun after the other was sent', async () => {
  draft.change({ text: 'a' });
  draft.flush();
  draft.drop();
  draft.change({ text: 'b' });
  await saving;
  draft.flush();
  draft.clear(true);
  await Promise.resolve();
  expect(saved).toEqual(['a', 'b']);
});
