import { AppError } from "../../lib/errors.ts"

/** Which server, and how it is reached. */
export interface Target {
  /** Of `/mcp`, or of `/sse`. */
  readonly url: URL
  readonly transport: "http" | "sse"
  readonly key: string | undefined
  /** Whose documents, where the key is for several tenants. */
  readonly tenant: string | undefined
}

interface TargetOptions {
  readonly url: string
  readonly sse?: boolean
  readonly key?: string
  readonly tenant?: string
}

/**
 * The target that the options name: the address of a server, or of its endpoint. Throws `invalid_request` for what is no
 * address, and for a key that no header can hold.
 */
export function readTarget({ url: given, sse = false, key = "", tenant }: TargetOptions): Target {
  const endpoint = sse ? "/sse" : "/mcp"
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new AppError("invalid_request", "--url must be an address like http://127.0.0.1:3825, without a password.")
  }
  if (!/^[\x21-\x7e]*$/.test(key)) {
    throw new AppError("invalid_request", "The key holds a character that no key has. Check CONCORDANCE_KEY.")
  }
  url.pathname = `${url.pathname.replace(/\/(mcp|sse)?\/?$/, "")}${endpoint}`
  url.hash = ""
  return { url, transport: sse ? "sse" : "http", key: key === "" ? undefined : key, tenant }
}

/** Whether a key goes to another machine where anybody on the way can read it. */
export function isKeyInTheOpen({ url, key }: Target): boolean {
  return key !== undefined && url.protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}
