import { writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { scannedSample, twoColumnSample } from "./sample-pdfs.ts"

const samples = new URL("../samples/", import.meta.url)
const files = { "en/ice-house-report-1936.pdf": twoColumnSample, "pt/edital-do-sal-1949.pdf": scannedSample }

for (const [name, make] of Object.entries(files)) {
  const bytes = await make()
  await writeFile(new URL(name, samples), bytes)
  process.stdout.write(`${fileURLToPath(new URL(name, samples))}: ${bytes.length} bytes\n`)
}
