import { defineConfig } from "vitest/config"

/** `npm run infra:test`: needs SST under .sst/, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/infra/**/*.test.ts"],
    // A synthesis takes 10 s of a core, and all of a file run at once: synthesise.ts ends it first.
    testTimeout: 310_000,
    hookTimeout: 310_000,
  },
})
