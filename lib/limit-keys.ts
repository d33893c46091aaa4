import { optionalWhole, whole } from "./environment-keys.ts"

/** Keys of the environment that say how much of the service one caller, and all of them together, may take at once. */
export const limitKeys = {
  RATE_PER_KEY: optionalWhole(1, 1_000_000, {
    group: "Limits",
  }),
  RATE_PER_TENANT: optionalWhole(1, 1_000_000, {
    group: "Limits",
  }),
  SEARCHES_PER_TENANT_MAX: optionalWhole(1, 1_000, {
    group: "Limits",
  }),
  INFERENCE_TOKENS_PER_DAY: optionalWhole(1_000, 999_999_999, {
    group: "Limits",
  }),
  INFERENCE_QUEUE_MAX: whole(1, 10_000, 256, {
    group: "Limits",
  }),
  DATABASE_QUEUE_MAX: whole(1, 10_000, 256, {
    group: "Limits",
  }),
  DATABASE_TIMEOUT_MS: whole(1_000, 3_600_000, 30_000, {
    group: "Limits",
  }),
}
