import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Vite for the panel, the one part of the extension with a face; build.mjs adds the others. */
export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  resolve: {
    alias: { $ui: fileURLToPath(new URL('../frontend/ui', import.meta.url)) },
    // The design system lies in the neighbour's folder, which has its own
    // node_modules: two copies of Svelte in one page do not share their state.
    dedupe: ['svelte', 'valibot'],
  },
  build: {
    target: 'chrome120',
    outDir: 'dist',
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Most of it is xterm, which is needed for the first frame.
    chunkSizeWarningLimit: 700,
    rolldownOptions: { input: 'panel.html' },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
