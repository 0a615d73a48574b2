import { expect, test } from 'vitest';
import type { Pairing } from '$ui/protocol/protocol';
import { systemClock } from './clock';
import { EarlyConnection } from './early';

const pairing: Pairing = {
  version: 'another.v9',
  session: 'default',
  port: 1,
  token: 'dG9rZW4',
  key: 'a2V5',
  epoch: 1,
};

test('what is heard before there is a listener is told to it, in order', async () => {
  let changed: (pairing: Pairing | undefined) => void = () => undefined;
  const early = new EarlyConnection({
    source: {
      read: () => Promise.resolve(pairing),
      watch(listener) {
        changed = listener;
      },
    },
    clock: systemClock,
    random: () => 0,
    draw: () => undefined,
  });
  const life = new AbortController();
  await early.connection.run(life.signal);
  changed(undefined);

  const heard: string[] = [];
  early.listen({ onLink: (link) => heard.push(link), onEvent: () => heard.push('event') });
  expect(heard).toEqual(['outdated', 'unpaired']);
  changed(pairing);
  expect(heard).toEqual(['outdated', 'unpaired', 'outdated']);
  life.abort();
});

test('what is shown first is known when hello says it, or when it will not come soon', async () => {
  let changed: (pairing: Pairing | undefined) => void = () => undefined;
  const early = new EarlyConnection({
    source: {
      read: () => Promise.resolve(undefined),
      watch(listener) {
        changed = listener;
      },
    },
    clock: systemClock,
    random: () => 0,
    draw: () => undefined,
  });
  const life = new AbortController();
  await early.connection.run(life.signal);
  let known: boolean | undefined;
  void early.first.then((drawn) => {
    known = drawn;
  });
  await Promise.resolve();
  expect(known).toBeUndefined(); // the app pairs at any moment
  changed(pairing); // of another version
  await early.first;
  expect(known).toBe(false);
  expect(early.pictured).toBeUndefined();
  life.abort();
});
