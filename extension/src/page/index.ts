import { createPage } from './page.js';

declare global {
  /** The page as an agent sees it; defined only in the world that evaluated this script. */
  var pilotfishPage: ReturnType<typeof createPage> | undefined;
}

// A second evaluation must keep the refs of the first one.
globalThis.pilotfishPage ??= createPage();
