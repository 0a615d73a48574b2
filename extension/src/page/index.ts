import { createPage } from './page.js';

declare global {
  /** The page as an agent sees it; exists only in the world that evaluated this script. */
  var pilotfishPage: ReturnType<typeof createPage> | undefined;
}

// A second evaluation must not forget the refs of the first.
globalThis.pilotfishPage ??= createPage();
