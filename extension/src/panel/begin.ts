import type { HelloEvent } from '$ui/protocol/protocol';
import { applyTheme, isDark, lastTheme } from '$ui/theme';
import { systemClock } from './connection/clock';
import { EarlyConnection, type Picture } from './connection/early';
import { storagePairing } from './connection/pairing';
import { plainScreen } from './core/plainscreen';
import { read } from './core/told';
import { PICTURE_WAIT } from './core/timing';
import { facesKey, keptFace, type KeptFaces } from './state/keptfaces';
import { keepFocusSteady } from './steadyfocus';
import { AwaitedPicture, FirstPicture, placeOf, strokesOfPieces } from './terminal/firstpicture';
import { families } from './terminal/font';

/**
 * The connection, under way before the rest of the panel's code has run: the
 * first module of the page. It shows what the first terminal shows, where that is
 * what the last panel showed, or a few plain lines, and then has the rest run.
 */
export const early = new EarlyConnection({
  source: storagePairing(chrome.storage.session),
  clock: systemClock,
  random: Math.random,
  draw,
});

// For whoever measures the start.
performance.mark('pilotfish:begun');

/** Undefined until it was read. */
let faces: { readonly kept: KeptFaces } | undefined;
void chrome.storage.local.get(facesKey).then((all) => {
  faces = { kept: all[facesKey] as KeptFaces };
});

const life = new AbortController();
applyTheme(lastTheme());
// Before anybody else listens.
keepFocusSteady(life.signal);
void early.connection.run(life.signal);
addEventListener('pagehide', () => {
  life.abort();
});

const known = early.first.then((drawn) => (drawn ? painted() : undefined));
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
  if (attach === undefined || info === undefined || faces === undefined) return undefined;
  // The panel of another window is beside another tab.
  if (new Set(session.tabs.map(({ windowId }) => windowId)).size > 1) return undefined;
  if ((keptFace(faces.kept, info.tab) ?? 'terminal') !== 'terminal') return undefined;
  const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono');
  const style = {
    fontFamily: families(mono, navigator.userAgent.includes('Macintosh')),
    fontSize: settings.fontSize,
    dark: isDark(settings.theme),
  };
  const told = attach.picture === undefined ? undefined : read(attach.picture);
  // In another size, or other colours, it would be seen to jump.
  const again = (): FirstPicture | undefined =>
    told?.place === placeOf(style) ? new FirstPicture(told.lines, style, told.top) : undefined;
  // The browser has made the page, and not yet its place beside the tab.
  const picture = innerWidth === 0 && told !== undefined ? new AwaitedPicture(again) : again();
  if (picture !== undefined) return picture;
  const { screen } = attach;
  const lines = screen === undefined ? undefined : plainScreen(screen, info.cols, info.rows);
  return lines && new FirstPicture(strokesOfPieces(lines, style.dark), style);
}

/** Resolves when what was put into the page is on the screen. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      systemClock.after(0, resolve);
    });
  });
}
