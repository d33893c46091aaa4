import { writeFile } from "node:fs/promises"
import { manyPagesPdf } from "../tests/generated-pdfs.ts"

// Writes a generated book: node --import tsx bench/write-book.ts <path> <pages>. A process of its own, because making it
// takes 200 MB, which the process that is measured must not have had.
const [path = "", pages = ""] = process.argv.slice(2)
await writeFile(path, (await manyPagesPdf(Number(pages))).bytes)
