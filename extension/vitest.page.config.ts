import { defineConfig } from 'vitest/config';

/** The page as an agent sees it: the built script in real Chromium over the protocol. */
export default defineConfig({
  test: {
    include: ['test/page/**/*.test.ts'],
    environment: 'node',
    // One worker for all files, which share a browser and its page: see test/page/browser.ts.
    fileParallelism: false,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A second, the default, is too short on a machine that is busy.
    expect: { poll: { timeout: 60_000 } },
  },
});
