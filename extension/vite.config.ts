import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/**
 * Makes the panel's page fast to start. Its style stands in it: as a file of its
 * own it would be one more thing to fetch, for which the scripts wait. And the
 * module that opens the connection is a script of the page: it runs as soon as it is
 * there, while the big one, which imports it, is being fetched and compiled.
 */
function fastStart(): Plugin {
  return {
    name: 'fast-start',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      // After Vite's own, which write the lists of what a chunk needs.
      order: 'post',
      handler(_, bundle) {
        const page = bundle['panel.html'];
        if (page?.type !== 'asset') throw new Error('there is no panel.html');
        let html = String(page.source);
        const begin = Object.values(bundle).find(
          (out) => out.type === 'chunk' && out.name === 'begin',
        );
        if (begin === undefined) throw new Error('there is no chunk that begins');
        for (const [file, asset] of Object.entries(bundle)) {
          if (asset.type !== 'asset' || !file.endsWith('.css')) continue;
          const link = new RegExp(`<link[^>]*href="[^"]*${file}"[^>]*>`);
          if (!link.test(html)) continue;
          html = html.replace(link, () => `<style>${String(asset.source)}</style>`);
          // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
          delete bundle[file];
          // Chunks that are loaded later name it among what they need, by its place in
          // a list: a module that is there already stands in for it.
          for (const out of Object.values(bundle)) {
            if (out.type === 'chunk')
              out.code = out.code.replaceAll(JSON.stringify(file), JSON.stringify(begin.fileName));
          }
        }
        const own = /<script type="module" crossorigin src="([^"]*)"><\/script>/;
        if (!own.test(html)) throw new Error('panel.html has no script');
        page.source = html.replace(
          own,
          (_, rest: string) =>
            `<script type="module" async crossorigin src="/${begin.fileName}"></script>\n` +
            `    <script type="module" async crossorigin src="${rest}"></script>`,
        );
      },
    },
  };
}

/** Vite for the panel, the one part of the extension with a face; build.mjs adds the others. */
export default defineConfig({
  plugins: [svelte(), fastStart()],
  publicDir: false,
  resolve: {
    alias: { $ui: fileURLToPath(new URL('../frontend/ui', import.meta.url)) },
    // The design system lies in the neighbour's folder, which has its own
    // node_modules: two copies of Svelte in one page do not share their state.
    dedupe: ['svelte', 'valibot'],
  },
  build: {
    target: 'chrome129',
    outDir: 'dist',
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Most of it is xterm, which is needed for the first frame.
    chunkSizeWarningLimit: 700,
    rolldownOptions: { input: { panel: 'panel.html', begin: 'src/panel/begin.ts' } },
  },
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    // The files share one program and its modules: 34 s of processor time instead of 91.
    isolate: false,
    // The defaults are too short on a machine that is busy.
    testTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
