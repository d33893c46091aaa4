import { randomFrom as seeded } from "../lib/random.ts"

/** That of `lib`, under the name that benches and tests know. */
export const randomFrom: typeof seeded = seeded
