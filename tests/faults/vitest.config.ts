import { defineConfig } from "vitest/config"

/** `npm run test:faults`: processes and database servers that are killed, disks that fill. As root on Debian, after `.ci/postgres`. */
export default defineConfig({
  test: {
    include: ["tests/faults/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Each has a server, a database and models of its own.
    fileParallelism: false,
  },
})
