import type { Context, MiddlewareHandler } from "hono"
import type * as z from "zod"
import { AppError } from "../../lib/errors.ts"
import { bodyParts } from "./body-parts.ts"
import { checkObject, parseJson } from "./check-input.ts"
import type { Edge } from "./edge.ts"

interface BodyLimits {
  /** Largest body, in bytes as they come over the wire. */
  readonly bytesMax: number
  /** What a body of another type is told to be; `application/json` when absent. */
  readonly wanted?: string
}

type JsonInput<Schema extends z.ZodObject> = {
  in: { json: z.input<Schema> }
  out: { json: z.output<Schema> }
}

/** Reads, bounds, parses and checks a JSON body; the route finds it in `c.req.valid("json")`, and its warnings in `c`. */
export function validJson<Schema extends z.ZodObject>(
  schema: Schema,
  limits: BodyLimits,
): MiddlewareHandler<Edge, string, JsonInput<Schema>> {
  return async (c, next) => {
    requireMediaType(c, /^application\/(?:[\w.-]+\+)?json$/, limits.wanted ?? "application/json")
    const { data, warnings } = checkObject(schema, parseJson(await readText(c, limits)))
    c.set("warnings", warnings)
    c.req.addValidatedData("json", data as object)
    await next()
  }
}

/** What curl's `-d` and `fetch` with a string send when nobody chose a type. */
const UNCHOSEN = new Set(["application/x-www-form-urlencoded", "text/plain"])

/** A content type that nobody chose passes, like a missing one: the plugin never looked at it. */
export function requireMediaType(c: Context<Edge>, accepted: RegExp, name: string): void {
  const [given, ...parameters] = (c.req.header("content-type") ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase())
  if (given && !accepted.test(given) && !UNCHOSEN.has(given)) throw wrongType(name)
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) throw wrongType(`${name} in UTF-8`)
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase()
  if (encoding && encoding !== "identity") {
    throw new AppError("unsupported_media_type", "The body must not be compressed", {
      fields: [{ field: "content-encoding", message: "must be absent or identity" }],
    })
  }
}

function wrongType(name: string): AppError {
  return new AppError("unsupported_media_type", `The body must be ${name}`, {
    fields: [{ field: "content-type", message: `must be ${name}` }],
  })
}

/** The error of a body, or a line of one, that is too long. */
export function tooLarge(field: string, bytesMax: number): AppError {
  const message = `must be at most ${bytesMax} bytes`
  return new AppError("payload_too_large", `${field}: ${message}`, { fields: [{ field, message }] })
}

/** 10 MB at 85 kB/s; what may take longer is read as it comes. */
const BODY_TOTAL_MS = 120_000

/** The whole body as text. Counts as it reads, so that a chunked body is bounded too. */
export async function readText(c: Context<Edge>, { bytesMax }: BodyLimits): Promise<string> {
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw tooLarge("body", bytesMax)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of bodyParts(c, { totalMs: BODY_TOTAL_MS })) {
    size += part.byteLength
    if (size > bytesMax) throw tooLarge("body", bytesMax)
    parts.push(part)
  }
  return decodeUtf8(Buffer.concat(parts, size))
}

/** Decodes strictly: a byte that is not UTF-8 would silently become U+FFFD and be stored so. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    const message = "must be valid UTF-8"
    throw new AppError("invalid_request", `body: ${message}`, { fields: [{ field: "body", message }] })
  }
}
