import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{lib,functions,cli,bench,tests}/**/*.test.ts"],
    // PGlite starts in 3 to 8 s on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
