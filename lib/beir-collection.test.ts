import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { readCollection } from "./beir-collection.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "concordance-beir-"))
  await mkdir(join(folder, "qrels"))
  await writeFile(join(folder, "corpus.jsonl"), '{"_id":"d1","title":"T","text":"one"}\n{"_id":"d2","text":"two"}\n')
  await writeFile(
    join(folder, "queries.jsonl"),
    '{"_id":"q1","text":"a"}\n{"_id":"q2","text":"b"}\n{"_id":"q3","text":"c"}',
  )
  await writeFile(join(folder, "qrels/test.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td1\t0\n")
})
afterEach(() => rm(folder, { recursive: true }))

test("reads the three files, and asks only questions that have a relevant document", async () => {
  const { corpus, questions, judgements } = await readCollection(folder)
  expect(corpus).toEqual([
    { _id: "d1", title: "T", text: "one" },
    { _id: "d2", title: "", text: "two" },
  ])
  expect(questions.map((question) => question._id)).toEqual(["q1"])
  expect(judgements.get("q1")).toEqual(
    new Map([
      ["d1", 2],
      ["d2", 1],
    ]),
  )
})

test("names a missing file and what the folder should hold", async () => {
  await rm(join(folder, "queries.jsonl"))
  await expect(readCollection(folder)).rejects.toThrow(/no .*queries\.jsonl.*BEIR form/)
})

test.each([
  ["corpus.jsonl", '{"_id":"d1","text":"one"}\n{"_id":"d2"', /corpus\.jsonl, line 2/],
  ["corpus.jsonl", '{"_id":"d1"}', /corpus\.jsonl, line 1: text/],
  ["qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1 d1 1\n", /test\.tsv, line 2: .*tabs/],
  ["qrels/test.tsv", "query-id\tcorpus-id\tscore\nother\td1\t1\n", /No question .* is judged/],
])("says where %s is wrong", async (file, content, message) => {
  await writeFile(join(folder, file), content)
  await expect(readCollection(folder)).rejects.toThrow(message)
})
