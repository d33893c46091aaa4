import { expect, test } from "vitest"
import { randomFrom } from "../random.ts"
import { assignIds } from "./assign-ids.ts"

test("new chunks are numbered in order, after the highest number ever given", () => {
  expect(assignIds(["x", "y"], [], 0, "c")).toEqual({ ids: ["c0001", "c0002"], last: 2 })
  expect(assignIds(["x"], [], 9_999, "c")).toEqual({ ids: ["c10000"], last: 10_000 })
})

test("an unchanged chunk keeps its id wherever it moves; a changed one gets a new number", () => {
  const stored = [
    { id: "c0001", hash: "x" },
    { id: "c0002", hash: "y" },
    { id: "c0003", hash: "z" },
  ]
  expect(assignIds(["z", "new", "x"], stored, 3, "c")).toEqual({ ids: ["c0003", "c0004", "c0001"], last: 4 })
})

test("equal chunks share out the ids they had, in order, each once", () => {
  const stored = [
    { id: "c0001", hash: "x" },
    { id: "c0002", hash: "x" },
  ]
  expect(assignIds(["x", "x", "x"], stored, 2, "c").ids).toEqual(["c0001", "c0002", "c0003"])
})

test("a chunk never takes the id of a parent with the same text", () => {
  expect(assignIds(["x"], [{ id: "p0001", hash: "x" }], 1, "c").ids).toEqual(["c0002"])
  expect(assignIds(["x"], [{ id: "p0001", hash: "x" }], 1, "p").ids).toEqual(["p0001"])
})

test("over many generations no id ever shows two texts", () => {
  const random = randomFrom(7)
  const shown = new Map<string, string>()
  let stored: { id: string; hash: string }[] = []
  let last = 0
  for (let generation = 0; generation < 200; generation++) {
    const hashes = Array.from({ length: Math.floor(random() * 8) }, () => `text ${Math.floor(random() * 20)}`)
    const assigned = assignIds(hashes, stored, last, "c")
    expect(new Set(assigned.ids).size).toBe(hashes.length)
    expect(assigned.last).toBeGreaterThanOrEqual(last)
    for (const [i, id] of assigned.ids.entries()) {
      expect(shown.get(id) ?? hashes[i]).toBe(hashes[i])
      shown.set(id, hashes[i] ?? "")
    }
    stored = assigned.ids.map((id, i) => ({ id, hash: hashes[i] ?? "" }))
    last = assigned.last
  }
})

test("a new chunk keeps the id it came with, unless that number was given before", () => {
  expect(assignIds(["x", "y"], [], 0, "c", ["c0007", undefined])).toEqual({ ids: ["c0007", "c0008"], last: 8 })
  expect(assignIds(["x"], [], 7, "c", ["c0007"])).toEqual({ ids: ["c0008"], last: 8 })
  const stored = [{ id: "c0003", hash: "x" }]
  expect(assignIds(["x", "new"], stored, 3, "c", ["c0009", "c0003"]).ids).toEqual(["c0003", "c0004"])
})

test("of equal chunks each keeps its own id, and no id is given twice", () => {
  const stored = [
    { id: "c0001", hash: "x" },
    { id: "c0002", hash: "x" },
  ]
  expect(assignIds(["x", "x"], stored, 2, "c", ["c0002", "c0001"]).ids).toEqual(["c0002", "c0001"])
  expect(assignIds(["y", "z"], [], 0, "c", ["c0001", "c0001"]).ids).toEqual(["c0001", "c0002"])
  for (const odd of ["c1", "p0001", "c00012", "c-001", "../c0001", ""]) {
    expect(assignIds(["x"], [], 20, "c", [odd]).ids).toEqual(["c0021"])
  }
})

test("over many generations of chunks with ids of their own no id ever shows two texts", () => {
  const random = randomFrom(8)
  const shown = new Map<string, string>()
  let stored: { id: string; hash: string }[] = []
  let last = 0
  for (let generation = 0; generation < 200; generation++) {
    const hashes = Array.from({ length: Math.floor(random() * 8) }, () => `text ${Math.floor(random() * 20)}`)
    const given = hashes.map(() =>
      random() < 0.7 ? `c${String(1 + Math.floor(random() * 40)).padStart(4, "0")}` : undefined,
    )
    const assigned = assignIds(hashes, stored, last, "c", given)
    expect(new Set(assigned.ids).size).toBe(hashes.length)
    for (const [i, id] of assigned.ids.entries()) {
      expect(shown.get(id) ?? hashes[i]).toBe(hashes[i])
      shown.set(id, hashes[i] ?? "")
    }
    stored = assigned.ids.map((id, i) => ({ id, hash: hashes[i] ?? "" }))
    last = assigned.last
  }
})
