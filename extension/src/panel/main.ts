import '$ui/tokens.css';
import './panel.css';
import { systemClock } from './connection/clock';
import { EarlyConnection } from './connection/early';
import { storagePairing } from './connection/pairing';

// The connection first: while the face, most of which is the terminal, is
// fetched and compiled, the backend proves itself and sends its state.
const early = new EarlyConnection({
  source: storagePairing(chrome.storage.session),
  clock: systemClock,
  random: Math.random,
});
const life = new AbortController();
void early.connection.run(life.signal);
addEventListener('pagehide', () => {
  life.abort();
});
void import('./face').then(({ show }) => {
  show(early);
});
