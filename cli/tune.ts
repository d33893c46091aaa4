import type { Command } from "commander"
import type { TunedShare } from "../lib/search/tune/tune-shares.ts"
import type { LearntTuning } from "../lib/search/tune/tune-tenant.ts"
import { CommandFailed, EXIT } from "./exit.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withOwner, withRuntime } from "./with-runtime.ts"

interface TuneCommandOptions {
  readonly tenant: string
  readonly apply?: true
  readonly show?: true
  readonly reset?: true
  readonly json?: true
}

export function addTuneCommand(program: Command, terminal: Terminal): void {
  program
    .command("tune")
    .description("learn a tenant's share of meaning and of the reranker from judged questions")
    .argument("[judgments]", "a folder in BEIR form, or a file of JSON lines: query, document, grade")
    .option("--tenant <name>", "whose", "primary")
    .option("--apply", "go by what was learnt from the next search on, where its gain is significant")
    .option("--show", "print what tenants are tuned to: this one with --tenant, else all")
    .option("--reset", "go back to the defaults")
    .option("--json", "print it as JSON")
    .addHelpText("after", `\nEnds with ${EXIT.refused} where no gain is significant: nothing is applied then.`)
    .action((judgments: string | undefined, options: TuneCommandOptions, command: Command) => {
      const named = command.getOptionValueSource("tenant") !== "default"
      return tune(judgments, options, named, terminal)
    })
}

async function tune(
  judgments: string | undefined,
  options: TuneCommandOptions,
  isNamed: boolean,
  terminal: Terminal,
): Promise<void> {
  const asked = [judgments !== undefined, options.show, options.reset].filter(Boolean).length
  if (asked !== 1 || (options.apply && judgments === undefined)) {
    terminal.note("Give judgments (with --apply or without), --show or --reset.")
    throw new CommandFailed(EXIT.usage)
  }
  if (options.show) return show(isNamed ? options.tenant : undefined, options, terminal)
  if (options.reset) return reset(options.tenant, terminal)
  return learn(judgments ?? "", options, terminal)
}

async function learn(path: string, options: TuneCommandOptions, terminal: Terminal): Promise<void> {
  const { readJudgments } = await import("../lib/judgments.ts")
  const { tuneTenant, worthApplying } = await import("../lib/search/tune/tune-tenant.ts")
  const { applyTuning } = await import("../lib/search/tune/tenant-tunings.ts")
  const { configFromEnvironment } = await import("../functions/environment.ts")
  const { deadlineIn } = await import("../lib/deadline.ts")
  const { AppError } = await import("../lib/errors.ts")
  const { vectordbProvider } = configFromEnvironment()
  if (vectordbProvider !== "concordance")
    throw new AppError(
      "invalid_configuration",
      `Searches of ${vectordbProvider} read no tuning: it is for Concordance's own index.`,
    )
  const { tenant, apply, json } = options
  const judged = await readJudgments(path)
  await withRuntime(terminal, async ({ searchDeps, owner }) => {
    const progress = terminal.progress("Asking", judged.questions.length)
    const learnt = await tuneTenant(searchDeps, tenant, judged, {
      deadline: () => deadlineIn(QUESTION_TIMEOUT_MS, terminal.signal),
      onAsked: (count) => progress.at(count),
    }).finally(() => progress.stop())
    const worth = worthApplying(tenant, learnt)
    if (worth && apply) await applyTuning(owner, worth)
    const outcome = { tenant, ...learnt, applied: worth !== null && apply === true }
    for (const line of json ? [JSON.stringify(outcome, null, 2)] : described(learnt)) terminal.line(line)
    if (!worth) {
      terminal.note("No gain is told from chance: the defaults stay. More judged questions may tell.")
      throw new CommandFailed(EXIT.refused)
    }
    terminal.note(apply ? "Applied: the tenant's next search goes by it." : "Nothing was changed: --apply does it.")
  })
}

/** A question waits for its models and its rerank as long as it takes; ms. */
const QUESTION_TIMEOUT_MS = 600_000

function described({ questions, reach, embeddingModel, reranker, alpha, rerank, ...rest }: LearntTuning): string[] {
  return [
    `${questions} questions, ${(100 * reach).toFixed(1)} % of their relevant documents among the candidates`,
    ...sharesOf(`alpha (${embeddingModel})`, alpha),
    ...(rerank ? sharesOf(`rerank share (${reranker}, ${rest.rerankCandidates} passages)`, rerank) : []),
  ]
}

function sharesOf(what: string, { standard, learnt, before, after, gain, isSignificant }: TunedShare): string[] {
  const sign = gain.mean < 0 ? "" : "+"
  const interval = `${sign}${gain.mean.toFixed(4)} [${gain.low.toFixed(4)}, ${gain.high.toFixed(4)}]`
  return [
    what,
    `  default ${standard}, learnt ${learnt}`,
    `  nDCG@10 held out ${before.toFixed(4)} -> ${after.toFixed(4)}: ${interval}, 95 %`,
    `  ${isSignificant ? "significant" : "not significant"}`,
  ]
}

async function show(tenant: string | undefined, { json }: TuneCommandOptions, terminal: Terminal): Promise<void> {
  const { readTunings } = await import("../lib/search/tune/tenant-tunings.ts")
  const tunings = await withOwner((owner) => readTunings(owner, tenant))
  for (const tuning of tunings) {
    const { alpha, reranker, rerankShare, embeddingModel, appliedAt } = tuning
    const shares = [
      ...(alpha === null ? [] : [`alpha ${alpha} for ${embeddingModel}`]),
      ...(reranker === null ? [] : [`rerank share ${rerankShare} of ${reranker}`]),
    ]
    terminal.line(
      json ? JSON.stringify(tuning) : `${printable(tuning.tenant)}  ${shares.join(", ")}, since ${appliedAt}`,
    )
  }
  if (tunings.length === 0 && !json) terminal.note("The defaults hold.")
}

async function reset(tenant: string, terminal: Terminal): Promise<void> {
  const { resetTuning } = await import("../lib/search/tune/tenant-tunings.ts")
  const wasTuned = await withOwner((owner) => resetTuning(owner, tenant))
  terminal.line(wasTuned ? "The defaults hold again." : "Nothing was tuned: the defaults hold.")
}
