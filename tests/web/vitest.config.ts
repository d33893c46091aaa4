import { defineConfig } from "vitest/config"

/** `npm run test:web`: the built page in Debian's Chromium, against the real server. No part of `npm test`: it needs both. */
export default defineConfig({
  test: {
    include: ["tests/web/**/*.test.ts"],
    globalSetup: "tests/serve-room.ts",
    // Nothing is timed: a busy machine takes a second for a click, and minutes for a PDF.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One browser, one server.
    fileParallelism: false,
  },
})
