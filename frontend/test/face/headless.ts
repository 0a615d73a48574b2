import { existsSync } from 'node:fs';

/**
 * How Playwright starts the Chromium that draws the faces. The one without a window's interface
 * is the same engine, and does without the tab strip and the address bar, which take a fifth of
 * the processor time of these tests.
 */
export const headless = {
  executablePath:
    process.env.PILOTFISH_CHROMIUM ??
    ['/usr/bin/chromium-headless-shell'].find(existsSync) ??
    '/usr/bin/chromium',
  args: [
    // Nothing here is drawn by a graphics card.
    '--disable-gpu',
    // A page lives for a second: optimizing its code costs more than it saves.
    '--js-flags=--single-threaded-gc --no-concurrent-recompilation --no-maglev --no-turbofan',
    // As root, which containers run as, Chromium needs its sandbox off.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ],
};
