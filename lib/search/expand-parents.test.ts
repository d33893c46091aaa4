import { expect, test } from "vitest"
import { candidate } from "../../tests/candidates.ts"
import { expandParents } from "./expand-parents.ts"

const hit = (documentId: string, chunkId: string, shownId: string, score: number) => ({
  candidate: candidate(documentId, { chunkId, shownId }),
  score,
})

test("of the children of one parent the best stays; a parent of another document is another", () => {
  const ranked = [
    hit("a", "c0002", "p0001", 4),
    hit("b", "c0002", "p0001", 3),
    hit("a", "c0003", "p0001", 2),
    hit("a", "c0009", "c0009", 1),
  ]
  expect(expandParents(ranked)).toEqual([ranked[0], ranked[1], ranked[3]])
})
