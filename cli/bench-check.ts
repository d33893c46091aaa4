import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { measureBatching, measureLists, measureSamples } from "../bench/check.ts"
import { betterRatios, type CheckFigures, type Compared, compareFigures } from "../bench/compare-figures.ts"
import { describeMachine } from "../bench/machine.ts"
import { openSubject } from "../bench/open-subject.ts"
import { formatTable } from "../bench/table.ts"
import { configFromEnvironment } from "../functions/environment.ts"
import { CommandFailed } from "./exit.ts"
import type { Terminal } from "./terminal.ts"

export interface CheckOptions {
  readonly database?: string
  readonly write?: true
}

const BASELINE = new URL("../bench/baselines/check.json", import.meta.url)

/**
 * `bench check`: relevance over the samples and ratios of speed within this run, beside the committed baseline. A ratio that
 * fell is measured once more before it counts. Fails where a figure did not hold; `--write` takes the run as the baseline.
 */
export async function benchCheck(options: CheckOptions, terminal: Terminal): Promise<void> {
  const shares = await measureSamples(configFromEnvironment(), terminal)
  const measure = async (): Promise<CheckFigures> => {
    const { shares: kept, ratios } = await measureSpeed(options.database, terminal)
    return { shares: { ...shares, ...kept }, ratios }
  }
  let figures = await measure()
  if (options.write) {
    const command = "concordance bench check --database URL --write"
    await writeFile(BASELINE, `${JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2)}\n`)
    return
  }
  const baseline = JSON.parse(await readFile(BASELINE, "utf8")) as CheckFigures
  if (Object.keys(baseline.ratios).some((name) => failed(name, compareFigures(baseline, figures)))) {
    terminal.note("A ratio fell below its limit: measuring once more")
    figures = betterRatios(figures, await measure())
  }
  const compared = compareFigures(baseline, figures)
  terminal.line(formatTable(["figure", "baseline", "now", "at least", ""], compared.map(rowOf)))
  const fallen = compared.filter(({ held }) => !held)
  if (fallen.length === 0) return
  const names = fallen.map(({ name }) => name).join(", ")
  terminal.note(`Fell: ${names}. If that is meant, take new figures with --write and commit them with the change.`)
  throw new CommandFailed()
}

async function measureSpeed(database: string | undefined, terminal: Terminal): Promise<CheckFigures> {
  const config = configFromEnvironment()
  const subject = await openSubject(config, database)
  try {
    const { shares, ratios } = await measureLists(subject, terminal)
    return { shares, ratios: { ...ratios, ...(await measureBatching(join(config.concordanceHome, "models"))) } }
  } finally {
    await subject.close()
  }
}

const failed = (name: string, compared: readonly Compared[]): boolean =>
  compared.some((figure) => figure.name === name && !figure.held)

const rowOf = ({ name, baseline, now, least, held }: Compared): string[] => [
  name,
  baseline.toFixed(3),
  now?.toFixed(3) ?? "none",
  least.toFixed(3),
  held ? "" : "FELL",
]
