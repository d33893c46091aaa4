import { defineConfig } from "vitest/config"

/** `npm run test:lambda`: needs SST's runtime loop under .sst/, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/lambda/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Bundles, processes and models: one file at a time.
    fileParallelism: false,
  },
})
