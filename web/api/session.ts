import { effect, signal } from "@preact/signals"

const KEY = "concordance-api-key"
const TENANT = "concordance-tenant"

/** The API key; "" without one. It stays in this tab's session and goes nowhere but to this server. */
export const apiKey = signal(sessionStorage.getItem(KEY) ?? "")

/** Whose documents are read, where a key has several tenants; "" leaves it to the key. */
export const tenant = signal(sessionStorage.getItem(TENANT) ?? "")

/** Why a key is asked for; null while none is. Set by the first answer that says 401, and by the person. */
export const keyWanted = signal<null | "missing" | "refused" | "asked">(null)

/** Counts the keys that were given: what failed for want of one is loaded again. */
export const keysGiven = signal(0)

effect(() => sessionStorage.setItem(KEY, apiKey.value))
effect(() => sessionStorage.setItem(TENANT, tenant.value))
