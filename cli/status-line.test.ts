import { PassThrough } from "node:stream"
import type { WriteStream } from "node:tty"
import { expect, test } from "vitest"
import { openStatusLine } from "./status-line.ts"

function lineOn(properties: Partial<WriteStream>) {
  const written: string[] = []
  const stream = Object.assign(new PassThrough(), properties) as unknown as WriteStream
  stream.on("data", (data) => written.push(String(data)))
  return { line: openStatusLine(stream), written: () => written.join("") }
}

test("each line takes the place of the last, is clipped to the screen, and is taken away without escape codes", () => {
  const { line, written } = lineOn({ isTTY: true, columns: 20 })
  line.show("Searching …")
  line.show("Go")
  line.show("x".repeat(40))
  line.end()
  expect(written()).toBe(`\rSearching …\rGo         \r${"x".repeat(18)}…\r${" ".repeat(19)}\r`)
})

test("where there is no terminal nothing is drawn", () => {
  const { line, written } = lineOn({})
  line.show("Searching …")
  line.end()
  expect(written()).toBe("")
})
