import { readdir, readFile, writeFile } from "node:fs/promises"
import type { Difference } from "./compare-pairs.ts"
import type { PeerFigures } from "./measure-peers.ts"
import { type Panel, peersChart } from "./peers-chart.ts"

/** A file of `baselines/` that `bench peers` wrote. */
interface Baseline {
  readonly dataset: string
  readonly passages: number
  readonly questions: number
  readonly machine: string
  /** Processes that wanted a core, on average over five minutes. */
  readonly load: number
  readonly command: string
  readonly peers: readonly PeerFigures[]
  readonly default_minus?: readonly Difference[]
}

const BASELINES = new URL("../baselines/", import.meta.url)
const PAGE = new URL("../peers.md", import.meta.url)
const CHART = new URL("../peers.svg", import.meta.url)

/** Writes `bench/peers.md` and its chart anew, from all baselines of the peers. */
export async function writePeersPage(): Promise<void> {
  const names = (await readdir(BASELINES)).filter((name) => name.startsWith("peers-")).sort()
  const baselines = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(new URL(name, BASELINES), "utf8")) as Baseline),
  )
  await writeFile(CHART, peersChart(baselines.map(panelOf)))
  await writeFile(PAGE, `${[...HEAD, ...baselines.map(sectionOf)].join("\n\n")}\n`)
}

const HEAD = [
  "# Beside what people would use instead",
  "Written by `bench peers --write` from `bench/baselines/peers-*.json`; how it is measured stands in [README.md](README.md#peers).",
  "![nDCG@10 and search times](peers.svg)",
]

function panelOf({ dataset, passages, peers, default_minus }: Baseline): Panel {
  const judged = default_minus !== undefined
  return {
    title: judged ? `${dataset}: nDCG@10` : `${dataset}, ${passages.toLocaleString("en")} chunks: p50 of a search, ms`,
    digits: judged ? 3 : 1,
    bars: peers.map((one) => ({
      label: `${one.peer}, ${one.way}`,
      value: judged ? (one.ndcg10 ?? 0) : one.p50_ms,
      ours: one.peer.startsWith("concordance"),
    })),
  }
}

function sectionOf(baseline: Baseline): string {
  const { dataset, passages, questions, machine, load, command, peers, default_minus } = baseline
  const about = `${passages.toLocaleString("en")} passages, ${questions} questions; ${machine}, load ${load}; \`${command}\``
  return [
    `## ${dataset}, ${passages.toLocaleString("en")} passages`,
    about,
    figuresTable(peers),
    ...pairs(default_minus),
  ].join("\n\n")
}

function figuresTable(peers: readonly PeerFigures[]): string {
  const head = [
    "peer",
    "way",
    "kind",
    "nDCG@10",
    "recall@100",
    "p50, ms",
    "p95, ms",
    "indexed/s",
    "memory, MB",
    "disk, MB",
  ]
  const rows = peers.map((one) => [
    one.peer,
    one.way,
    one.kind,
    one.ndcg10?.toFixed(4) ?? "",
    one.recall100?.toFixed(4) ?? "",
    one.p50_ms.toFixed(1),
    one.p95_ms.toFixed(1),
    one.indexed_per_s.toFixed(0),
    one.memory_mb.toFixed(0),
    one.kind === "in memory" ? "" : one.disk_mb.toFixed(0),
  ])
  return markdownTable(head, rows)
}

function pairs(differences: readonly Difference[] | undefined): string[] {
  if (!differences) return []
  const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(4)}`
  const rows = differences.map(({ ours, peer, mean, low, high }) => [
    ours,
    peer,
    signed(mean),
    `${signed(low)} to ${signed(high)}`,
  ])
  return [
    "Differences in nDCG@10 over the same questions, with their bootstrap intervals:",
    markdownTable(["ours", "minus", "difference", "95 %"], rows),
  ]
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")
}
