import type { WriteStream } from "node:tty"
import cliProgress from "cli-progress"

/** How far a long command is. */
export interface Progress {
  /** `done` of the total so far. */
  at(done: number): void
  /** Ends the line; what is written next starts below it. */
  stop(): void
}

/** Bars of several things that go on side by side. */
export interface Bars {
  /** Begins one; nothing is drawn before its total is known. */
  add(label: string): Bar
  /** Ends them all; what is written next starts below. */
  stop(): void
}

export interface Bar {
  at(done: number, total: number): void
  /** Takes it away: the command prints how it ended. */
  end(): void
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

/** Room for a label, characters. */
const LABEL_CHARS = 32

/** A bar for each on a terminal; nothing elsewhere, where a command's line about each thing that is done is enough. */
export function openBars(stream: WriteStream): Bars {
  if (stream.isTTY !== true) return { add: () => ({ at: () => {}, end: () => {} }), stop: () => {} }
  const bars = new cliProgress.MultiBar({
    stream,
    format: "{label} {bar} {value}/{total}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  return {
    add(label) {
      let bar: cliProgress.SingleBar | undefined
      return {
        at(done, total) {
          bar ??= bars.create(total, done, { label: label.slice(-LABEL_CHARS).padEnd(LABEL_CHARS) })
          bar.setTotal(total)
          bar.update(done)
        },
        end() {
          if (bar) bars.remove(bar)
        },
      }
    },
    stop: () => bars.stop(),
  }
}
