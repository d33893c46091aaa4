import type { WriteStream } from "node:tty"
import { clip, widthOf } from "./wrap-text.ts"

/** What goes on, in one line that the next takes the place of. */
export interface StatusLine {
  show(text: string): void
  /** Takes the line away. */
  end(): void
}

/** Columns that a terminal writes for Ctrl-C, behind the line: `^C`. */
const CTRL_C = 2
const EVERY_MS = 1_000
/** Where there is no terminal to draw on, ms: a script's log stays short. */
const LINE_EVERY_MS = 5_000

/** On a terminal with the seconds that have gone by; elsewhere a line every few seconds. No escape codes: any terminal takes it. */
export function openStatusLine(stream: WriteStream): StatusLine {
  const began = performance.now()
  const isDrawn = stream.isTTY === true
  let text = ""
  let drawn = 0
  const draw = () => {
    const seconds = Math.round((performance.now() - began) / 1_000)
    const time = seconds > 0 ? `  ${seconds} s` : ""
    if (!isDrawn) {
      stream.write(`${text}${time}\n`)
      return
    }
    // The last column stays empty: some terminals would begin a new line there.
    const line = `${clip(text, stream.columns - 1 - time.length)}${time}`
    stream.write(`\r${line}${" ".repeat(Math.max(0, drawn - widthOf(line)))}`)
    drawn = widthOf(line)
  }
  const clock = setInterval(draw, isDrawn ? EVERY_MS : LINE_EVERY_MS)
  clock.unref()
  return {
    show(next) {
      text = next
      if (isDrawn) draw()
    },
    end() {
      clearInterval(clock)
      if (isDrawn) stream.write(`\r${" ".repeat(Math.min(drawn + CTRL_C, stream.columns - 1))}\r`)
    },
  }
}
