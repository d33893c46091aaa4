import { AppError } from "../../errors.ts"
import { encrypted, unreadable } from "./document-errors.ts"
import { childNamed, childrenNamed, type MarkupElement, parseMarkup, textOf } from "./markup-tree.ts"
import type { Archive } from "./open-archive.ts"
import { openArchive } from "./open-archive.ts"

/** Where a relationship of a part leads. */
export interface Relationship {
  /** Path in the archive; an address outside stays as it is. */
  readonly target: string
  /** The last part of its type: `slide`, `image`, `hyperlink`. */
  readonly type: string
}

/** Head of an OLE compound file: an office file before 2007, or an encrypted one of today. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/**
 * Opens a DOCX, XLSX or PPTX. Throws `document_encrypted` for one with a password, `document_unsupported` for those of
 * before 2007, `document_unreadable` for what is neither.
 */
export function openOfficePackage(bytes: Uint8Array): Archive {
  if (COMPOUND_FILE.every((byte, index) => bytes[index] === byte)) {
    // Names of streams are UTF-16.
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("EncryptedPackage", 0, "utf16le"))
      throw encrypted()
    throw new AppError("document_unsupported", "The file is of an Office before 2007. Save it as DOCX, XLSX or PPTX.")
  }
  return openArchive(bytes)
}

/** A part of XML as a tree, or null where there is none of that name. */
export function readXmlPart(archive: Archive, name: string): MarkupElement | null {
  const text = archive.readText(name)
  if (text === null) return null
  const { root, charsLeft } = parseMarkup(text, true)
  if (charsLeft > 0) throw unreadable("The file has more elements in one part than are read.")
  return root.children.find((child) => typeof child !== "string") ?? null
}

/** Relationships of a part by their id; empty where it has none. */
export function readRelationships(archive: Archive, part: string): ReadonlyMap<string, Relationship> {
  const slash = part.lastIndexOf("/") + 1
  const root = readXmlPart(archive, `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`)
  const relationships = new Map<string, Relationship>()
  for (const { attributes } of childrenNamed(root ?? undefined, "Relationship")) {
    const { Id: id, Target: target, Type: type, TargetMode: mode } = attributes
    if (id === undefined || target === undefined) continue
    const path = mode === "External" ? target : resolvePath(part, target)
    relationships.set(id, { target: path, type: (type ?? "").slice((type ?? "").lastIndexOf("/") + 1) })
  }
  return relationships
}

/** Path of the main part, which the package names itself. */
export function mainPart(archive: Archive, fallback: string): string {
  for (const { type, target } of readRelationships(archive, "").values()) {
    if (type === "officeDocument" && archive.has(target)) return target
  }
  return fallback
}

/** Of a path relative to the part that names it. */
export function resolvePath(from: string, target: string): string {
  const path = target.startsWith("/") ? target.slice(1) : from.slice(0, from.lastIndexOf("/") + 1) + target
  const names: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "." && name !== "") names.push(name)
  }
  return names.join("/")
}

/** Value of the attribute of that local name that has a prefix: `r:id` next to `id`. */
export function prefixedAttribute(element: MarkupElement, name: string): string | undefined {
  for (const key in element.attributes) if (key.endsWith(`:${name}`)) return element.attributes[key]
  return undefined
}

/** Title and language as the author entered them. */
export function readCoreProperties(archive: Archive): { title: string | null; language: string | null } {
  const root = readXmlPart(archive, "docProps/core.xml") ?? undefined
  const text = (name: string): string | null => {
    const element = childNamed(root, name)
    return element ? textOf(element).trim() || null : null
  }
  return { title: text("title"), language: text("language") }
}
