import { type Command, InvalidArgumentError, Option } from "commander"
import type { KeyScope } from "../lib/keys/api-key.ts"
import type { KeyRecord } from "../lib/keys/key-record.ts"
import { describeKey, expiryWarnings } from "./describe-key.ts"
import { CommandFailed } from "./exit.ts"
import type { Terminal } from "./terminal.ts"
import { withKeyRing } from "./with-runtime.ts"

interface RotateOptions {
  readonly overlap: number
  readonly expires?: Date
  readonly json?: true
}

interface CreateOptions {
  readonly tenant: readonly string[]
  readonly scope: readonly KeyScope[]
  readonly expires?: Date
  readonly rate?: number
  readonly json?: true
}

const SCOPES = ["search", "index", "delete", "inference"] as const satisfies readonly KeyScope[]

export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command("keys").description("make, list, rotate and revoke API keys")
  keys
    .command("create")
    .description("make a key and print it, this once")
    .argument("<name>", "what it is for, to know it again by")
    .option("--tenant <name>", "a tenant it may be; repeat it for more (default: every tenant)", collect, [])
    .addOption(
      new Option("--scope <scope>", "what it may do; repeat it for more (default: everything)")
        .choices(SCOPES)
        .argParser((value: string, before: string[]) => collectScope(value, before))
        .default([]),
    )
    .option("--expires <when>", "a date like 2027-01-31, or days like 90d", parseExpiry)
    .option("--rate <n>", "requests a minute", parseRate)
    .option("--json", "print the record and the key as JSON")
    .action((name: string, options: CreateOptions) => createKey(name, options, terminal))
  keys
    .command("list")
    .description("print all keys, revoked ones too; the keys themselves are kept nowhere")
    .option("--json", "print the records as JSON")
    .action((options: { readonly json?: true }) => listKeys(options, terminal))
  keys
    .command("rotate")
    .description("make a key like another, and end that one after an overlap")
    .argument("<id>", "id of the key, as `keys list` prints it")
    .addOption(
      new Option("--overlap <time>", "how long the old key is still let in: 30m, 24h, 7d, or 0")
        .argParser(parseOverlap)
        .default(DAY_MS, "24h"),
    )
    .option(
      "--expires <when>",
      "when the new key ends (default: after as long as the old one was made for)",
      parseExpiry,
    )
    .option("--json", "print both records and the key as JSON")
    .action((id: string, options: RotateOptions) => rotateKey(id, options, terminal))
  keys
    .command("revoke")
    .description("refuse a key from now on")
    .argument("<id>", "id of the key, as `keys list` prints it")
    .action((id: string) => revokeKey(id, terminal))
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value]

function collectScope(value: string, before: readonly string[]): string[] {
  if (!(SCOPES as readonly string[]).includes(value)) throw new InvalidArgumentError(`One of ${SCOPES.join(", ")}.`)
  return collect(value, before)
}

const DAY_MS = 86_400_000
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS }

function parseOverlap(value: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(value) ?? []
  if (count === undefined && value !== "0") throw new InvalidArgumentError("A time like 30m, 24h or 7d, or 0.")
  const ms = Number(count ?? 0) * (UNITS_MS[unit ?? "m"] ?? 0)
  if (ms > 365 * DAY_MS) throw new InvalidArgumentError("At most 365d.")
  return ms
}

function parseExpiry(value: string): Date {
  const days = /^(\d{1,5})d$/.exec(value)?.[1]
  const date = days ? new Date(Date.now() + Number(days) * DAY_MS) : new Date(value)
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("A date like 2027-01-31, or days like 90d.")
  if (date.getTime() <= Date.now()) throw new InvalidArgumentError("It lies in the past.")
  return date
}

function parseRate(value: string): number {
  const rate = Number(value)
  if (!Number.isInteger(rate) || rate < 1) throw new InvalidArgumentError("A whole number of at least 1.")
  return rate
}

async function createKey(name: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  const made = await withKeyRing((ring) =>
    ring.create({
      name,
      ...(options.tenant.length > 0 && { tenants: [...options.tenant] }),
      ...(options.scope.length > 0 && { scopes: [...options.scope] }),
      ...(options.expires && { expiresAt: options.expires }),
      ...(options.rate !== undefined && { ratePerMinute: options.rate }),
    }),
  )
  if (options.json) {
    terminal.line(JSON.stringify(made, null, 2))
    return
  }
  terminal.line(made.key)
  terminal.note(`${describeKey(made.record, { nowMs: Date.now() })}\nThis is the only time the key is shown.`)
}

async function rotateKey(id: string, options: RotateOptions, terminal: Terminal): Promise<void> {
  const { overlap: overlapMs, expires: expiresAt, json } = options
  const rotated = await withKeyRing((ring) => ring.rotate(id, { overlapMs, ...(expiresAt && { expiresAt }) }))
  if (!rotated) throw noSuchKey(id, terminal)
  if (json) {
    terminal.line(JSON.stringify(rotated, null, 2))
    return
  }
  const { key, record, replaced } = rotated
  terminal.line(key)
  const end =
    overlapMs === 0 ? "is refused from now on, by a running server within 30 seconds" : `ends ${replaced.expiresAt}`
  terminal.note(
    `${describeKey(record, { nowMs: Date.now() })}\nThis is the only time the key is shown. The old one, ${id}, ${end}.`,
  )
}

async function listKeys({ json }: { readonly json?: true }, terminal: Terminal): Promise<void> {
  const records = await withKeyRing(async (ring) => {
    const all: KeyRecord[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await ring.list({ limit: 1_000, ...(cursor !== undefined && { cursor }) })
      all.push(...page.keys)
      cursor = page.nextCursor
      if (cursor === undefined) return all
    }
  })
  if (json) {
    terminal.line(JSON.stringify(records, null, 2))
    return
  }
  const nowMs = Date.now()
  const successors = new Map(records.map(({ id, rotatedFrom }) => [rotatedFrom, id]))
  for (const record of records) {
    const successor = successors.get(record.id)
    terminal.line(describeKey(record, { nowMs, ...(successor !== undefined && { successor }) }))
  }
  for (const warning of expiryWarnings(records, nowMs)) terminal.note(warning)
  if (records.length === 0) terminal.note("There are no keys. Make one with: concordance keys create <name>")
}

async function revokeKey(id: string, terminal: Terminal): Promise<void> {
  if (!(await withKeyRing((ring) => ring.revoke(id)))) throw noSuchKey(id, terminal)
  terminal.line(`Revoked ${id}. A running server refuses it within 30 seconds.`)
}

function noSuchKey(id: string, terminal: Terminal): CommandFailed {
  terminal.note(`Error: there is no key ${id}. See: concordance keys list`)
  return new CommandFailed()
}
