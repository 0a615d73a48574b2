// Builds the extension into dist: the panel (a page), the worker (one ES
// module), the content script (one classic script), and what is only copied.
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('dist', import.meta.url));

/** Builds one script without a page into one file. */
function script(entry, file, format) {
  return build({
    root,
    // The configuration of the panel names its page as the input.
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias: { $ui: fileURLToPath(new URL('../frontend/ui', import.meta.url)) } },
    build: {
      target: 'chrome129',
      emptyOutDir: false,
      lib: { entry, formats: [format], name: 'pilotfish', fileName: () => file },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
}

await mkdir(dist, { recursive: true });
for (const name of await readdir(dist)) {
  // .gitkeep is what lets Go embed the folder before the first build.
  if (name !== '.gitkeep') await rm(`${dist}/${name}`, { recursive: true });
}
await build({ root, logLevel: 'warn' });
// The task page is the panel's; begin.ts tells them apart by the address.
await cp(`${dist}/panel.html`, `${dist}/tasks.html`);
await script('src/worker/index.ts', 'worker.js', 'es');
await script('src/content/index.ts', 'content.js', 'iife');
await script('src/content/pointed.ts', 'pointed.js', 'iife');
await script('src/content/executor.ts', 'executor.js', 'iife');
await script('src/content/clean.ts', 'clean.js', 'iife');
await script('src/page/index.ts', 'page.js', 'iife');
// The accessibility checker, for the backend to load into a page that is audited.
await cp(`${root}node_modules/axe-core/axe.min.js`, `${dist}/axe.js`);
// The filter lists of Clean up, with their license.
await cp(`${root}lists/clean.engine.gz`, `${dist}/clean.engine.gz`);
await cp(`${root}lists/NOTICE.txt`, `${dist}/clean.NOTICE.txt`);
await cp(`${root}icons`, `${dist}/icons`, { recursive: true });
await cp(`${root}newtab.html`, `${dist}/newtab.html`);
// Last, because a folder with a manifest counts as complete.
await cp(`${root}manifest.json`, `${dist}/manifest.json`);
