import { deflateSync } from "node:zlib"

/** A PDF of objects as they are written, number 1 the catalog, with a table of references that is right. */
function rawPdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")]
  const places: number[] = []
  let at = 9
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")])
    places.push(at)
    parts.push(part)
    at += part.length
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Root 1 0 R/Size ${size}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/** A stream, packed. */
function pdfStream(content: string | Uint8Array, dictionary = ""): Buffer {
  const packed = deflateSync(content)
  return Buffer.concat([
    Buffer.from(`<</Length ${packed.length}/Filter/FlateDecode${dictionary}>>\nstream\n`),
    packed,
    Buffer.from("\nendstream"),
  ])
}

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
const TEXT = "BT /F 12 Tf 20 100 Td (The ferry leaves at nine in the morning) Tj ET"

/** One page with a line of text. The catalog and the page may have more entries, and the page another content. */
export function onePagePdf({
  catalog = "",
  page = "",
  box = "0 0 300 200",
  content = TEXT as string | Uint8Array,
  count = 1,
  more = [] as (string | Buffer)[],
} = {}): Buffer {
  return rawPdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[3 0 R]/Count ${count}>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>${page}>>`,
    pdfStream(content),
    FONT,
    ...more,
  ])
}

/** One page under a tree of `depth` nodes. */
export function deepPdf(depth: number): Buffer {
  const nodes = Array.from(
    { length: depth },
    (_, index) => `<</Type/Pages/Kids[${index + 3} 0 R]/Count 1${index > 0 ? `/Parent ${index + 1} 0 R` : ""}>>`,
  )
  return rawPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    ...nodes,
    `<</Type/Page/Parent ${depth + 1} 0 R/MediaBox[0 0 300 200]>>`,
  ])
}

/** Nodes of pages that hold one another. */
export function circularPdf(): Buffer {
  return rawPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R 2 0 R]/Count 4>>",
    "<</Type/Pages/Kids[2 0 R 3 0 R]/Count 4/Parent 2 0 R>>",
  ])
}
