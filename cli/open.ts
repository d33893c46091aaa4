import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"
import { type Cited, parseCitation } from "../lib/citation.ts"
import { pictureFileName } from "./picture-file-name.ts"
import type { Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface OpenOptions {
  readonly out?: string
  readonly highlight?: true
  readonly format: "png" | "webp" | "jpeg"
  readonly tenant: string
}

export function addOpenCommand(program: Command, terminal: Terminal): void {
  program
    .command("open")
    .description("write the picture of a cited passage to a file, and print its path")
    .argument("<citation>", "like '[[doc/p007#c0042]]', or doc/p007#c0042", parseCited)
    .option("--out <file>", "where to write it (default: named after the citation, here)")
    .option("--highlight", "the whole page, with the passage shaded")
    .addOption(new Option("--format <format>", "of the picture").choices(["png", "webp", "jpeg"]).default("png"))
    .option("--tenant <name>", "whose document", "primary")
    .action((cited: Cited, options: OpenOptions) => openCitation(cited, options, terminal))
}

function parseCited(text: string): Cited {
  const cited = parseCitation(text)
  if (!cited) throw new InvalidArgumentError("A citation looks like '[[doc/p007#c0042]]'.")
  return cited
}

async function openCitation(cited: Cited, options: OpenOptions, terminal: Terminal): Promise<void> {
  const { tenant, format } = options
  const { documentId, chunkId } = cited
  const { bytes, page } = await withRuntime(
    terminal,
    async (product) => {
      const page = cited.page ?? (await product.documentPages.chunk(tenant, documentId, chunkId)).page ?? 1
      const request = { chunkId, highlight: options.highlight ?? false, format }
      const picture = await product.pagePictures.part(tenant, documentId, page, request)
      return { ...(await picture.read()), page }
    },
    { withoutModels: true },
  )
  const path = resolve(options.out ?? pictureFileName({ ...cited, page }, format))
  await writeFile(path, bytes)
  terminal.line(path)
}
