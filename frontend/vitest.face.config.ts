import { defineConfig } from 'vitest/config';

// The built window in a real browser: `npm run test:face`.
export default defineConfig({
  test: {
    include: ['test/face/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
