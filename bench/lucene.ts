import { execFile } from "node:child_process"
import { access, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Collection } from "../lib/beir-collection.ts"
import { AppError } from "../lib/errors.ts"

const SOURCE = fileURLToPath(new URL("lucene/RankByBm25.java", import.meta.url))
/** Where Debian's liblucene4.10-java puts them. */
const JARS = ["lucene-core-4.10.4", "lucene-analyzers-common-4.10.4"].map((name) => `/usr/share/java/${name}.jar`)
const OUTPUT_BYTES_MAX = 2 ** 28

/** Rankings by way, each the ids of the best 100 documents for every question, in the questions' order. */
export type Rankings = ReadonlyMap<string, readonly (readonly string[])[]>

/**
 * Ranks a collection by Lucene's own BM25 and English analyser, title and text as one field and as two, with its own
 * constants and with Anserini's. Compiles the harness anew each time (2 s). Throws `invalid_configuration` without Lucene or a JDK.
 */
export async function rankByLucene({ corpus, questions }: Pick<Collection, "corpus" | "questions">): Promise<Rankings> {
  const run = promisify(execFile)
  const folder = await mkdtemp(join(tmpdir(), "concordance-lucene-"))
  try {
    await Promise.all(JARS.map((jar) => access(jar)))
    await run("javac", ["-cp", JARS.join(":"), "-d", folder, SOURCE])
    await writeFile(join(folder, "documents.tsv"), lines(corpus.map(({ title, text }) => [title, text])))
    await writeFile(join(folder, "questions.tsv"), lines(questions.map(({ text }) => [text])))
    const { stdout } = await run("java", ["-cp", [...JARS, folder].join(":"), "RankByBm25", folder], {
      maxBuffer: OUTPUT_BYTES_MAX,
    })
    return parseRankings(stdout, corpus)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause
    throw new AppError(
      "invalid_configuration",
      "This bench needs Lucene and a JDK: apt-get install liblucene4.10-java default-jdk-headless",
      { cause },
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

const lines = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((field) => field.replaceAll(/\s+/g, " ")).join("\t")}\n`).join("")

function parseRankings(output: string, corpus: Collection["corpus"]): Rankings {
  const rankings = new Map<string, string[][]>()
  for (const line of output.trimEnd().split("\n")) {
    const [way = "", , ...found] = line.split("\t")
    const ranked = found.map((number) => corpus[Number(number)]?._id ?? "")
    rankings.set(way, [...(rankings.get(way) ?? []), ranked])
  }
  return rankings
}
