import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  resolve: {
    alias: { $ui: fileURLToPath(new URL('ui', import.meta.url)) },
    // Without it Svelte's server build is taken, where runes do nothing.
    conditions: ['browser'],
  },
  test: {
    include: ['src/**/*.test.ts', 'ui/**/*.test.ts'],
    // The files share one program and its modules, which saves most of their time.
    isolate: false,
    // The default is too short on a machine that is busy.
    testTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
