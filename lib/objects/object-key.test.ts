import { describe, expect, test } from "vitest"
import {
  chunkImageKey,
  chunkImagesPrefix,
  isSegment,
  pageImageKey,
  pagesPrefix,
  parseUploadKey,
  requireObjectKey,
  requireObjectPrefix,
  tenantPrefixes,
  uploadKey,
  uploadsPrefix,
} from "./object-key.ts"

/** Ids that have broken such stores. */
const HARD_IDS = [
  "../../x",
  "..",
  ".",
  ".hidden",
  "trailing.",
  "%2e%2e",
  "%2e%2e%2f%2e%2e",
  "..\\..\\x",
  "/etc/passwd",
  "a/b",
  "a_2fb",
  "a__b",
  "A",
  "a",
  "_41",
  "con",
  "CON.txt",
  "nul.pdf",
  "com1",
  "console",
  "caf\u00e9",
  "cafe\u0301",
  "línea 1\nlínea 2\r\t",
  "📁/📄",
  " ",
  "*?<>|:\"'",
  "x".repeat(200),
  "x".repeat(201),
  `${"x".repeat(201)}y`,
  "a/📄".repeat(170),
  "A".repeat(1_024),
  "/".repeat(4_096),
]

const parts = (key: string) => key.split("/")

describe("keys", () => {
  test("read as DESIGN says for plain ids", () => {
    expect(uploadKey("primary", "report-2023", "relat\u00f3rio.pdf")).toBe(
      "uploads/primary/report-2023/relat_c3_b3rio.pdf",
    )
    expect(
      pageImageKey({ tenantId: "primary", documentId: "doc", generation: 3, page: 7, mimeType: "image/png" }),
    ).toBe("pages/primary/doc/3/p0007.png")
    expect(pageImageKey({ tenantId: "t", documentId: "d", generation: 1, page: 12_345, mimeType: "image/webp" })).toBe(
      "pages/t/d/1/p12345.webp",
    )
    expect(chunkImageKey("primary", "doc", "0a".repeat(32))).toBe(`images/primary/doc/${"0a".repeat(32)}.png`)
  })

  test.each(HARD_IDS)(
    "of %j are three file names after their kind, short enough for S3 and every file system",
    (id) => {
      const key = uploadKey(id, id, id)
      expect(parts(key)).toHaveLength(4)
      for (const segment of parts(key)) {
        expect(segment).toMatch(/^[a-z0-9._-]+$/)
        expect(segment).not.toMatch(/^\.|\.$/)
        expect(segment.length).toBeLessThanOrEqual(255)
        expect(segment).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/)
        expect(isSegment(segment)).toBe(true)
      }
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1_024)
      expect(requireObjectKey(key)).toEqual(parts(key))
    },
  )

  test("of different ids differ, where case and Unicode form are ignored too", () => {
    const segments = HARD_IDS.map((id) =>
      parts(uploadKey(id, "d", "f"))[1]
        ?.toLowerCase()
        .normalize("NFD"),
    )
    expect(new Set(segments).size).toBe(HARD_IDS.length)
  })

  test("an id that looks like the digest of another is not taken for it", () => {
    const long = parts(uploadKey("x".repeat(300), "d", "f"))[1] ?? ""
    expect(long).toMatch(/__[0-9a-f]{64}$/)
    expect(parts(uploadKey(long, "d", "f"))[1]).not.toBe(long)
  })

  test("an id that Postgres can't store either has no key", () => {
    expect(() => uploadKey("", "d", "f")).toThrow()
    expect(() => uploadKey("\ud800", "d", "f")).toThrow()
  })
})

describe("parseUploadKey", () => {
  test.each(HARD_IDS.filter((id) => id.length < 60))("reads %j back", (id) => {
    expect(parseUploadKey(uploadKey(id, `d${id}`, `${id}.pdf`))).toEqual({
      tenantId: id,
      documentId: `d${id}`,
      fileName: `${id}.pdf`,
    })
  })

  test("says that an id is not in the key when it was too long", () => {
    expect(parseUploadKey(uploadKey("primary", "x".repeat(1_000), "a.pdf"))).toEqual({
      tenantId: "primary",
      documentId: null,
      fileName: "a.pdf",
    })
  })

  test.each([
    "",
    "uploads",
    "uploads/t/d",
    "uploads/t/d/f/g",
    "uploads//d/f",
    "uploads/t/d/",
    "pages/t/d/f",
    "Uploads/t/d/f",
    "uploads/T/d/f",
    "uploads/../d/f",
    "uploads/t/%2e%2e/f",
    "uploads/t/d/a b.pdf",
    "uploads/t/d/_",
    "uploads/t/d/_61",
    "uploads/t/d/_2F",
    "uploads/t/d/_ff",
    "uploads/t/d/con",
    `uploads/t/d/${"f".repeat(201)}`,
  ])("refuses %j, which no upload of ours has", (key) => {
    expect(parseUploadKey(key)).toBeNull()
  })
})

describe("prefixes", () => {
  test("hold a document's objects and none of a document whose id starts the same", () => {
    expect(uploadKey("t", "doc", "f").startsWith(uploadsPrefix("t", "doc"))).toBe(true)
    expect(uploadKey("t", "doc2", "f").startsWith(uploadsPrefix("t", "doc"))).toBe(false)
    expect(chunkImageKey("t", "doc", "0a").startsWith(chunkImagesPrefix("t", "doc"))).toBe(true)
    expect(chunkImageKey("t", "doc2", "0a").startsWith(chunkImagesPrefix("t", "doc"))).toBe(false)
    const page = { tenantId: "t", documentId: "doc", page: 1, mimeType: "image/png" } as const
    expect(pageImageKey({ ...page, generation: 2 }).startsWith(pagesPrefix("t", "doc", 2))).toBe(true)
    expect(pageImageKey({ ...page, generation: 22 }).startsWith(pagesPrefix("t", "doc", 2))).toBe(false)
    expect(pageImageKey({ ...page, generation: 22 }).startsWith(pagesPrefix("t", "doc"))).toBe(true)
  })

  test("of a tenant hold all of its objects and none of another's", () => {
    const ofTenant = (key: string) => tenantPrefixes("t").some((prefix) => key.startsWith(prefix))
    const page = { documentId: "d", generation: 1, page: 1, mimeType: "image/png" } as const
    const ours = [uploadKey("t", "d", "f"), pageImageKey({ ...page, tenantId: "t" }), chunkImageKey("t", "d", "0a")]
    const theirs = [uploadKey("t2", "d", "f"), pageImageKey({ ...page, tenantId: "T" }), chunkImageKey("t2", "d", "0a")]
    expect(ours.every(ofTenant)).toBe(true)
    expect(theirs.some(ofTenant)).toBe(false)
  })

  test("end with a slash, and keys are made of safe segments, or a store refuses them", () => {
    expect(requireObjectPrefix("pages/t/")).toEqual(["pages", "t"])
    for (const prefix of ["", "pages/t", "/", "pages//", "../"]) expect(() => requireObjectPrefix(prefix)).toThrow()
    for (const key of ["", "/a", "a/", "a//b", "a/../b", "a/B", "a/%2e", "a\\b", "a\u0000"]) {
      expect(() => requireObjectKey(key)).toThrow()
    }
  })
})
