import { benchM3ShapeApart, formatM3ShapeFigures } from "../bench/m3-shape.ts"
import { describeMachine } from "../bench/machine.ts"
import type { Terminal } from "./terminal.ts"

export interface M3ShapeOptions {
  readonly threads: number
  readonly rounds: number
  readonly json?: true
}

/** `bench m3-shape`: what the models of the profile `m3` take, by models of their shape. */
export async function benchM3Shape(folder: string, options: M3ShapeOptions, terminal: Terminal): Promise<void> {
  const { threads, rounds, json } = options
  const figures = await benchM3ShapeApart({ folder, threads, rounds })
  if (!json) {
    terminal.line(formatM3ShapeFigures(figures))
    return
  }
  const command = `concordance bench m3-shape <folder> --threads ${threads} --rounds ${rounds} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, ...figures }, null, 2))
}
