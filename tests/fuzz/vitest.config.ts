import { defineConfig } from "vitest/config"

/** `npm run test:fuzz`: a server of its own, asked many thousand times. Needs no network. */
export default defineConfig({
  test: {
    include: ["tests/fuzz/**/*.test.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
