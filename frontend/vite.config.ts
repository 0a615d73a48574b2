import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/** In `npm run dev` the window talks to the fake backend of the tests. */
const fakeBackend: Plugin = {
  name: 'fake-backend',
  apply: 'serve',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => ({
      // The development server injects styles and its own client inline.
      html: html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
      tags: [
        {
          tag: 'script',
          attrs: { type: 'module', src: '/test/fakes/dev.ts' },
          injectTo: 'head-prepend',
        },
      ],
    }),
  },
};

export default defineConfig({
  plugins: [svelte(), fakeBackend],
  // The same build is served at / in the window and at /control/ in a browser.
  base: './',
  resolve: {
    alias: { $ui: fileURLToPath(new URL('ui', import.meta.url)) },
  },
  build: {
    // WebKitGTK 2.44 and later, and WebView2; light-dark() came with it.
    target: 'safari17.5',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // public/ has a .gitkeep that comes back with each build: the Go package embeds
    // dist in a tree where nothing was built, too.
    emptyOutDir: true,
  },
});
