import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of what has a face: the built panel in real Chromium. */
export default defineConfig({
  resolve: { alias: { $ui: fileURLToPath(new URL('../frontend/ui', import.meta.url)) } },
  test: {
    include: ['test/*.test.ts'],
    environment: 'node',
    // One worker for all files, which share a browser and its page: see test/fakes/face.ts.
    fileParallelism: false,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, the default, is too short on a machine that is busy.
    expect: { poll: { timeout: 60_000 } },
  },
});
