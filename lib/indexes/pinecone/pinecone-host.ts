import { AppError } from "../../errors.ts"
import { callIndex } from "../index-failure.ts"
import { createJsonClient, type JsonCall } from "../json-client.ts"
import { pathSegment } from "../path-segment.ts"

/** Of both planes: the contract that this adapter was written against. */
const API_VERSION = "2026-04"

export interface PineconeAccess {
  readonly apiKey: string
  /** Where an index's host is looked up: `https://api.pinecone.io`. */
  readonly controllerUrl: string
}

/** One index, wherever it is served. */
export interface PineconeServer {
  readonly name: string
  readonly call: JsonCall
}

/**
 * Calls an index by its name; its host is asked of the control plane at the first call, and kept. Throws `invalid_configuration`
 * where there is no such index.
 *
 * @param host skips that: `my-index-abc.svc.region.pinecone.io`, or a URL
 */
export function openPineconeServer(
  { apiKey, controllerUrl }: PineconeAccess,
  index: string,
  host: string | undefined,
): PineconeServer {
  const name = `Pinecone's index ${index}`
  const headers = { "api-key": apiKey, "x-pinecone-api-version": API_VERSION }
  const clientOf = (baseUrl: string): JsonCall =>
    createJsonClient({ name, baseUrl, headers, keySetting: "PINECONE_API_KEY" })
  const controller = clientOf(controllerUrl.replace(/\/+$/, ""))
  const scheme = new URL(controllerUrl).protocol
  let known: JsonCall | null = host === undefined ? null : clientOf(urlOf(host, scheme))
  const clientFor = async (signal: AbortSignal): Promise<JsonCall> => {
    if (known) return known
    const found = await controller<{ host: string }>("GET", `/indexes/${pathSegment(index)}`, undefined, signal, [404])
    if (!found)
      throw new AppError(
        "invalid_configuration",
        `There is no ${name}. PINECONE_INDEX_NAME is ${index}: name one that is there.`,
      )
    known = clientOf(urlOf(found.host, scheme))
    return known
  }
  return {
    name,
    call: (method, path, body, signal, missing) =>
      callIndex(name, signal, async () => (await clientFor(signal))(method, path, body, signal, missing)),
  }
}

/** Hosts come without a scheme, and have the control plane's: `http` is that of an emulator. */
function urlOf(host: string, scheme: string): string {
  return (host.includes("://") ? host : `${scheme}//${host}`).replace(/\/+$/, "")
}
