import { expect, test } from "vitest"
import { createInterrupts } from "./interrupts.ts"

function interrupts() {
  let left = 0
  const made = createInterrupts(() => {
    left += 1
  })
  return { ...made, left: () => left }
}

test("the first Ctrl-C aborts the command, the second leaves", () => {
  const { signal, press, left } = interrupts()
  press()
  expect([signal.aborted, left()]).toEqual([true, 0])
  press()
  expect(left()).toBe(1)
})

test("Ctrl-C cancels what is under way alone, a second one meanwhile leaves, and afterwards it is the command's again", async () => {
  const { signal, press, cancellable, left } = interrupts()
  await cancellable(async (inner) => {
    press()
    expect([inner.aborted, signal.aborted, left()]).toEqual([true, false, 0])
    press()
    expect(left()).toBe(1)
  })
  press()
  expect([signal.aborted, left()]).toEqual([true, 1])
})

test("what is under way ends with the command", async () => {
  const { press, cancellable } = interrupts()
  press()
  await cancellable(async (inner) => expect(inner.aborted).toBe(true))
})
