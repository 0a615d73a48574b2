import { defineConfig } from 'vitest/config';

// The built window in a real browser: `npm run test:face`.
export default defineConfig({
  test: {
    include: ['test/face/**/*.test.ts'],
    // Pictures are for eyes: they are taken where somebody wants them.
    exclude: process.env.PILOTFISH_PICTURES === undefined ? ['**/pictures.test.ts'] : [],
    // One worker for all files, which share a browser and its page: see test/face/stage.ts.
    fileParallelism: false,
    isolate: false,
    // A test with several runs of axe takes half a minute on a machine that is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, the default, is too short on a machine that is busy.
    expect: { poll: { timeout: 60_000 } },
  },
});
