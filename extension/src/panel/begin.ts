import { applyTextSize, applyTheme, lastTextSize, lastTheme } from '$ui/theme';
import { systemClock } from './connection/clock';
import { EarlyConnection } from './connection/early';
import { storagePairing } from './connection/pairing';
import { keepFocusSteady } from './steadyfocus';

/** Whether this is the task page: the panel's code, which runs tasks and shows nothing. */
export const taskPage = location.pathname === '/tasks.html';

/**
 * The connection to the backend. This is the first module of the page, so that the
 * connection starts before the rest of the panel's code has run.
 */
export const early = new EarlyConnection({
  source: storagePairing(chrome.storage.session),
  clock: systemClock,
  random: Math.random,
  tasks: taskPage,
});

// For measurements of the start.
performance.mark('pilotfish:begun');

const life = new AbortController();
applyTheme(lastTheme());
applyTextSize(lastTextSize());
// Before any other listener is registered.
keepFocusSteady(life.signal);
void early.connection.run(life.signal);
addEventListener('pagehide', () => {
  life.abort();
});
