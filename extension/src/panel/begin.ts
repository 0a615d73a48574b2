import type { HelloEvent } from '$ui/protocol/protocol';
import { systemClock } from './connection/clock';
import { EarlyConnection, type Picture } from './connection/early';
import { storagePairing } from './connection/pairing';
import { plainScreen } from './core/plainscreen';
import { PICTURE_WAIT } from './core/timing';
import { facesKey, keptFace, type KeptFaces } from './state/keptfaces';
import { FirstPicture } from './terminal/firstpicture';
import { families } from './terminal/font';

/**
 * The connection, under way before the rest of the panel's code has run: the
 * first module of the page. It shows what the first terminal shows, where that
 * is a few plain lines, and then has the rest run.
 */
export const early = new EarlyConnection({
  source: storagePairing(chrome.storage.session),
  clock: systemClock,
  random: Math.random,
  draw,
});

// For whoever measures the start.
performance.mark('pilotfish:begun');

/** Says that there was a panel before in this run of the browser. */
const openedKey = 'pilotfish.opened';

/** Undefined until it was read. */
let faces: { readonly kept: KeptFaces } | undefined;
const opened = chrome.storage.session.get([facesKey, openedKey]).then((all) => {
  faces = { kept: all[facesKey] as KeptFaces };
  if (all[openedKey] === true) return true;
  void chrome.storage.session.set({ [openedKey]: true });
  return false;
});

const life = new AbortController();
void early.connection.run(life.signal);
addEventListener('pagehide', () => {
  life.abort();
});

// A panel that is opened again shows a screen with a past, which takes xterm.
const known = Promise.race([
  early.first.then((drawn) => (drawn ? painted() : undefined)),
  opened.then((before) => (before ? undefined : new Promise<never>(() => undefined))),
]);
const late = new Promise<void>((resolve) => {
  systemClock.after(PICTURE_WAIT, resolve);
});
// Its address stands in the page, where the browser finds it before this runs.
const rest = document.querySelector<HTMLLinkElement>('link[data-rest]')?.href;
if (rest !== undefined)
  void Promise.race([known, late]).then(() => import(/* @vite-ignore */ rest));

/** The picture of the first terminal, where it is certain that this panel shows it. */
function draw({ attach, session, settings }: HelloEvent): Picture | undefined {
  const info = session.terminals.find(({ id }) => id === attach?.terminal);
  if (attach?.screen === undefined || info === undefined || faces === undefined) return undefined;
  // The panel of another window is beside another tab.
  if (new Set(session.tabs.map(({ windowId }) => windowId)).size > 1) return undefined;
  if ((keptFace(faces.kept, info.tab) ?? 'terminal') !== 'terminal') return undefined;
  const lines = plainScreen(attach.screen, info.cols, info.rows);
  if (lines === undefined) return undefined;
  const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono');
  return new FirstPicture(lines, {
    fontFamily: families(mono, navigator.userAgent.includes('Macintosh')),
    fontSize: settings.fontSize,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
  });
}

/** Resolves when what was put into the page is on the screen. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      systemClock.after(0, resolve);
    });
  });
}
