import { systemClock } from './connection/clock';
import { EarlyConnection } from './connection/early';
import { storagePairing } from './connection/pairing';

/**
 * The connection, under way before the rest of the panel's code has run: the
 * first module of the page.
 */
export const early = new EarlyConnection({
  source: storagePairing(chrome.storage.session),
  clock: systemClock,
  random: Math.random,
});

// For whoever measures the start.
performance.mark('pilotfish:begun');

const life = new AbortController();
void early.connection.run(life.signal);
addEventListener('pagehide', () => {
  life.abort();
});
