import type { Command } from "commander"
import type { M3ShapeOptions } from "./bench-m3-shape.ts"
import type { RerankOptions } from "./bench-rerank.ts"
import { parseCount } from "./parse-count.ts"
import type { Terminal } from "./terminal.ts"

/** The benches of models' shapes. */
export function addModelBenches(bench: Command, terminal: Terminal): void {
  addM3ShapeBench(bench, terminal)
  addRerankBench(bench, terminal)
}

function addM3ShapeBench(bench: Command, terminal: Terminal): void {
  bench
    .command("m3-shape")
    .description("disk, memory and time of models shaped as those of the profile m3, with random weights")
    .argument("<folder>", "where the files are, or are written: 1.2 GB")
    .option("--threads <n>", "threads of the models", parseCount, 2)
    .option("--rounds <n>", "how often each is timed", parseCount, 7)
    .option("--json", "print the figures as JSON")
    .action(async (folder: string, options: M3ShapeOptions) => {
      const { benchM3Shape } = await import("./bench-m3-shape.ts")
      await benchM3Shape(folder, options, terminal)
    })
}

function addRerankBench(bench: Command, terminal: Terminal): void {
  bench
    .command("rerank")
    .description(
      "time reranking by late interaction, and by a cross-encoder of MiniLM-L-12's shape with random weights",
    )
    .argument("<folder>", "where the models are, or are written: 150 MB")
    .option("--threads <n>", "threads of the models", parseCount, 2)
    .option("--rounds <n>", "how often each is timed", parseCount, 7)
    .option("--json", "print the figures as JSON")
    .action(async (folder: string, options: RerankOptions) => {
      const { benchRerank } = await import("./bench-rerank.ts")
      await benchRerank(folder, options, terminal)
    })
}
