import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{lib,functions,cli,bench,tests,web}/**/*.test.ts"],
    // Have configurations of their own: they need SST (`npm run infra:install`), the inspector (`npm run mcp:install`), Chromium, a machine to break, or minutes.
    exclude: [
      "**/node_modules/**",
      "tests/faults/**",
      "tests/fuzz/**",
      "tests/infra/**",
      "tests/lambda/**",
      "tests/mcp-processes/**",
      "tests/web/**",
    ],
    globalSetup: "tests/build-page.ts",
    // PGlite starts in 3 to 8 s on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Each loads models and a database of its own, 1 GB of memory.
    maxWorkers: 2,
    // Slower tests are named in the report, ms.
    slowTestThreshold: 2_000,
  },
})
