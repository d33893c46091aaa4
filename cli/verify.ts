import type { Command } from "commander"
import type { Problem } from "../lib/care/problem.ts"
import { CommandFailed } from "./exit.ts"
import { printable, printableJson, type Terminal } from "./terminal.ts"
import { collectNames, withStores } from "./with-stores.ts"

interface VerifyCommandOptions {
  readonly tenant: readonly string[]
  readonly repair?: true
  readonly json?: true
}

export function addVerifyCommand(program: Command, terminal: Terminal): void {
  program
    .command("verify")
    .description("hold rows, objects and counts together; exit status 1 where something doesn't add up")
    .option("--tenant <name>", "whose; repeat it for more (default: every tenant)", collectNames, [])
    .option("--repair", "mend what can be mended")
    .option("--json", "print the problems as JSON")
    .action((options: VerifyCommandOptions) => verifyAll(options, terminal))
}

async function verifyAll({ tenant, repair, json }: VerifyCommandOptions, terminal: Terminal): Promise<void> {
  const { verify } = await import("../lib/care/verify.ts")
  const tenants = tenant.length > 0 ? tenant : undefined
  const found = await withStores(terminal, (stores) => verify(stores, { tenants, repair, signal: terminal.signal }))
  if (json) terminal.line(printableJson(found))
  else {
    for (const problem of found.problems) for (const line of describe(problem)) terminal.line(line)
    const left = found.problems.filter(({ repaired }) => !repaired).length
    terminal.note(`${found.tenants} tenants, ${found.problems.length} problems${repair ? `, ${left} left` : ""}.`)
  }
  if (found.problems.some(({ repaired }) => !repaired)) throw new CommandFailed()
}

function describe({ kind, tenant, count, documents, meaning, remedy, repaired }: Problem): string[] {
  const more = documents.length > 0 ? [`    in ${documents.map(printable).join(", ")}`] : []
  return [
    `${printable(tenant || "(nobody)")}  ${kind}  ${count}${repaired ? "  repaired" : ""}`,
    `    ${meaning}.`,
    ...more,
    ...(repaired ? [] : [`    What to do: ${remedy}.`]),
  ]
}
