import { defineConfig } from 'vitest/config';

// The built window in a real browser: `npm run test:face`.
export default defineConfig({
  test: {
    include: ['test/face/**/*.test.ts'],
    // Pictures are for eyes: they are taken where somebody wants them.
    exclude: process.env.PILOTFISH_PICTURES === undefined ? ['**/pictures.test.ts'] : [],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
