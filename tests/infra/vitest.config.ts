import { defineConfig } from "vitest/config"

/** `npm run infra:test`: needs SST under .sst/, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/infra/**/*.test.ts"],
    // A synthesis takes 5 s of a core, and all of a file run at once.
    testTimeout: 150_000,
    hookTimeout: 150_000,
  },
})
