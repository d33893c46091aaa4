import { effect, signal } from "@preact/signals"
import { keep, readKept } from "./kept.ts"

const KEY = "concordance-api-key"
const TENANT = "concordance-tenant"

/** The API key; "" without one. It stays in this tab's session and goes nowhere but to this server. */
export const apiKey = signal(readKept("sessionStorage", KEY) ?? "")

/** Whose documents are read, where a key has several tenants; "" leaves it to the key. */
export const tenant = signal(readKept("sessionStorage", TENANT) ?? "")

/** Why a key is asked for; null while none is. Set by the first answer that says 401, and by the person. */
export const keyWanted = signal<null | "missing" | "refused" | "asked">(null)

/** Asks for a key, after an answer that said 401. */
export function wantKey(): void {
  keyWanted.value = apiKey.peek() === "" ? "missing" : "refused"
}

/** Counts the keys that were given: what failed for want of one is loaded again. */
export const keysGiven = signal(0)

effect(() => keep("sessionStorage", KEY, apiKey.value))
effect(() => keep("sessionStorage", TENANT, tenant.value))
