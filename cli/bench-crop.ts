import { formatCropFigures, measureCrop } from "../bench/crop.ts"
import { describeMachine } from "../bench/machine.ts"
import type { Terminal } from "./terminal.ts"

export interface CropOptions {
  readonly rounds: number
  readonly page?: string
  readonly json?: true
}

/** `bench crop`: how long pictures of a page take, one after another. */
export async function benchCrop({ rounds, page, json }: CropOptions, terminal: Terminal): Promise<void> {
  const figures = await measureCrop({ rounds, page })
  if (!json) {
    terminal.line(formatCropFigures(figures))
    return
  }
  const command = `concordance bench crop --rounds ${rounds} --json`
  terminal.line(JSON.stringify({ machine: describeMachine(), command, figures }, null, 2))
}
