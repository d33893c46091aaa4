import { defineConfig } from "vitest/config"

/** `npm run test:mcp`: other people's programs as clients, each call a process, and thousands of calls. Needs no network. */
export default defineConfig({
  test: {
    include: ["tests/mcp-processes/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
