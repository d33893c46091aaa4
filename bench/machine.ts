import { availableParallelism, cpus, platform, totalmem } from "node:os"

/** What the figures were measured on, in one line. */
export function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  const model = cpus()[0]?.model.trim() ?? "unknown CPU"
  return `${availableParallelism()} cores of ${model}, ${memory} GiB, ${platform()}, Node ${process.versions.node}`
}
