import type { WriteStream } from "node:tty"
import cliProgress from "cli-progress"

/** How far a long command is. */
export interface Progress {
  /** `done` of the total so far. */
  at(done: number): void
  /** Ends the line; what is written next starts below it. */
  stop(): void
}

/** Plain lines, where there is no terminal to draw on: one at most this often. */
const LINE_EVERY_MS = 5_000

/** A bar on a terminal; elsewhere a line every few seconds, so that a log of a long run stays short. */
export function openProgress(stream: WriteStream, label: string, total: number): Progress {
  return stream.isTTY === true ? openBar(stream, label, total) : openLines(stream, label, total)
}

function openBar(stream: WriteStream, label: string, total: number): Progress {
  const bar = new cliProgress.SingleBar({
    stream,
    format: `${label} {bar} {value}/{total}  {eta_formatted}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: true,
    etaBuffer: 100,
    // The command has its own handler of Ctrl-C, which stops the bar too.
    gracefulExit: false,
  })
  bar.start(total, 0)
  return { at: (done) => bar.update(done), stop: () => bar.stop() }
}

function openLines(stream: WriteStream, label: string, total: number): Progress {
  let spokenAt = performance.now()
  return {
    at: (done) => {
      if (done < total && performance.now() - spokenAt < LINE_EVERY_MS) return
      spokenAt = performance.now()
      stream.write(`${label} ${done}/${total}\n`)
    },
    stop: () => {},
  }
}
