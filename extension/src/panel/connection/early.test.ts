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

/** An early connection, and a function that pairs it. */
function early(kept: Pairing | undefined): {
  made: EarlyConnection;
  pair: (pairing: Pairing | undefined) => void;
} {
  let pair: (pairing: Pairing | undefined) => void = () => undefined;
  const made = new EarlyConnection({
    source: {
      read: () => Promise.resolve(kept),
      watch(listener) {
        pair = listener;
      },
      keep: () => Promise.resolve(),
    },
    clock: systemClock,
    random: () => 0,
  });
  return {
    made,
    pair: (pairing) => {
      pair(pairing);
    },
  };
}

test('what is heard before there is a listener is told to it, in order', async () => {
  const { made, pair } = early(pairing);
  const life = new AbortController();
  await made.connection.run(life.signal);
  pair(undefined);

  const heard: string[] = [];
  made.listen({ onLink: (link) => heard.push(link), onEvent: () => heard.push('event') });
  expect(heard).toEqual(['outdated', 'unpaired']);
  pair(pairing);
  expect(heard).toEqual(['outdated', 'unpaired', 'outdated']);
  life.abort();
});
