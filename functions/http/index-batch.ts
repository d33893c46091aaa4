import * as z from "zod"
import type { Deadline } from "../../lib/deadline.ts"
import type { IndexDocuments } from "../../lib/documents/index-documents.ts"
import { IndexRequest } from "../../lib/documents/index-request.ts"
import type { AppError } from "../../lib/errors.ts"
import { checkObject, parseJson } from "./check-input.ts"
import { statusOf, toAppError } from "./errors.ts"
import { decodeUtf8, tooLarge } from "./json-body.ts"
import { type Line, ndjsonLines } from "./ndjson-lines.ts"
import { Problem } from "./problem.ts"

/** A group is indexed when it has this many lines, or this many bytes: enough to fill the model's batches. */
const GROUP_LINES_MAX = 64
const GROUP_BYTES_MAX = 1_000_000
/** Results that may wait for a client that sends all before it reads: about 80,000 lines' worth. */
const RESULT_BYTES_WAITING_MAX = 8_000_000

/** One line of the answer to `POST /index/batch`. */
export const BatchResult = z.union([
  z.object({
    line: z.int().describe("Number of the line, from 1; blank ones count"),
    id: z.string(),
    status: z.literal("indexed"),
    warnings: z.array(z.string()).optional(),
  }),
  z.object({
    line: z.int(),
    id: z.string().optional().describe("Absent where the line was not readable"),
    status: z.literal("failed"),
    code: Problem.shape.code,
    detail: z.string(),
    errors: Problem.shape.errors,
  }),
])
type BatchResult = z.infer<typeof BatchResult>

interface BatchOptions {
  readonly indexDocuments: IndexDocuments
  /** Tenant of one line; throws where the caller may not be it. */
  readonly tenantOf: (request: IndexRequest) => Promise<string>
  /** A deadline for the next group. */
  readonly deadline: () => Deadline
  readonly lineBytesMax: number
  /** Hears of failures that are ours to mend. */
  readonly onFailure: (error: unknown) => void
}

/** A line that passed its checks and waits for its group. */
interface Accepted {
  readonly line: number
  readonly tenant: string
  readonly request: IndexRequest
  readonly warnings: readonly string[]
}

/**
 * Indexes the lines of a stream and streams a result for each, in order. Pulled by its reader: with a slow one, or
 * one that reads nothing, it stops reading too, so memory stays at one group and `RESULT_BYTES_WAITING_MAX`.
 */
export function indexBatch(body: AsyncIterable<Uint8Array>, options: BatchOptions): ReadableStream<Uint8Array> {
  const results = resultsOf(body, options)
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      pull: async (stream) => {
        const { done, value } = await results.next()
        if (done) stream.close()
        else stream.enqueue(encoder.encode(value.map((result) => `${JSON.stringify(result)}\n`).join("")))
      },
      cancel: async () => {
        await results.return(undefined)
      },
    },
    { highWaterMark: RESULT_BYTES_WAITING_MAX, size: (chunk) => chunk.byteLength },
  )
}

async function* resultsOf(body: AsyncIterable<Uint8Array>, options: BatchOptions): AsyncGenerator<BatchResult[]> {
  let group: (Accepted | BatchResult)[] = []
  let bytes = 0
  for await (const line of ndjsonLines(body, options.lineBytesMax)) {
    group.push(await acceptLine(line, options))
    bytes += line.bytes?.length ?? 0
    if (group.length >= GROUP_LINES_MAX || bytes >= GROUP_BYTES_MAX) {
      yield await indexGroup(group, options)
      group = []
      bytes = 0
    }
  }
  if (group.length > 0) yield await indexGroup(group, options)
}

async function acceptLine(line: Line, { lineBytesMax, tenantOf }: BatchOptions): Promise<Accepted | BatchResult> {
  let id: string | undefined
  try {
    if (!line.bytes) throw tooLarge("line", lineBytesMax)
    const input = parseJson(decodeUtf8(line.bytes))
    id = givenId(input)
    const { data, warnings } = checkObject(IndexRequest, input)
    return { line: line.number, tenant: await tenantOf(data), request: data, warnings }
  } catch (error) {
    return failed(line.number, id, toAppError(error))
  }
}

/** The lines of one group go to the index in one call a tenant; the answers come back in the order of the lines. */
async function indexGroup(group: readonly (Accepted | BatchResult)[], options: BatchOptions): Promise<BatchResult[]> {
  const results = new Map<number, BatchResult>()
  const waiting: Accepted[] = []
  for (const item of group) {
    if ("status" in item) results.set(item.line, item)
    else waiting.push(item)
  }
  const deadline = options.deadline()
  for (const tenant of new Set(waiting.map((item) => item.tenant))) {
    const lines = waiting.filter((item) => item.tenant === tenant)
    for (const result of await indexTenant(tenant, lines, deadline, options)) results.set(result.line, result)
  }
  return [...results.values()].sort((a, b) => a.line - b.line)
}

async function indexTenant(
  tenant: string,
  lines: readonly Accepted[],
  deadline: Deadline,
  { indexDocuments, onFailure }: BatchOptions,
): Promise<BatchResult[]> {
  try {
    const requests = lines.map(({ request }) => request)
    const outcomes = await indexDocuments(tenant, requests, deadline)
    return lines.map(({ line, request, warnings }, index): BatchResult => {
      const outcome = outcomes[index]
      if (!outcome) return failed(line, request.id, toAppError(undefined))
      if ("failed" in outcome) {
        if (statusOf(outcome.failed.code) >= 500) onFailure(outcome.failed)
        return failed(line, request.id, outcome.failed)
      }
      const all = [...warnings, ...(outcome.indexed.warnings ?? [])]
      return { line, id: request.id, status: "indexed", ...(all.length > 0 && { warnings: all }) }
    })
  } catch (thrown) {
    const error = toAppError(thrown)
    if (statusOf(error.code) >= 500) onFailure(thrown)
    return lines.map(({ line, request }) => failed(line, request.id, error))
  }
}

function failed(line: number, id: string | undefined, error: AppError): BatchResult {
  return {
    line,
    ...(id !== undefined && { id }),
    status: "failed",
    code: error.code,
    detail: error.message,
    ...(error.fields.length > 0 && { errors: [...error.fields] }),
  }
}

function givenId(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("id" in input) || typeof input.id !== "string") return undefined
  return input.id.slice(0, 1_024).toWellFormed()
}
