import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { openArchive } from "../formats/open-archive.ts"
import { refused } from "./bundle-problem.ts"

/** What makes an archive a bundle: its index, at the top or in the one folder that was packed. */
export const PACKED_INDEX = /^(?:[^/]+\/)?_index\.json$/u
/** Files of a bundle. Names with anything else in them never reach the file system. */
const PACKED_FILE = /^(?:_index\.json|(?:chunks|images|tables)\/[A-Za-z0-9][\w.-]{0,99})$/u
/** What macOS and Windows add of their own accord. */
const ADDED = /(?:^|\/)(?:__MACOSX\/|\.[^./]|Thumbs\.db$|desktop\.ini$)/u
const NAMED_MAX = 20

/**
 * Writes a packed bundle (ZIP) to `folder` as `readBundle` takes it. Returns what was passed over. Throws
 * `document_unreadable` for a damaged archive or one of several bundles, `document_encrypted`, and `document_too_large`
 * for one that unpacks to over 128 MiB.
 */
export async function unpackBundle(bytes: Uint8Array, folder: string): Promise<string[]> {
  const archive = openArchive(bytes)
  const names = archive.names.map((name) => ({ name, path: name.replace(/^\//u, "") }))
  const indexes = names.filter(({ path }) => PACKED_INDEX.test(path) && !ADDED.test(path))
  const [index] = indexes
  if (!index || indexes.length > 1) {
    throw refused("the archive", `holds ${indexes.length} bundles; upload each as a file of its own`)
  }
  const root = index.path.slice(0, -"_index.json".length)
  const passedOver: string[] = []
  for (const { name, path } of names) {
    if (ADDED.test(path)) continue
    const inside = path.startsWith(root) ? path.slice(root.length) : ""
    if (PACKED_FILE.test(inside)) await unpack(archive.read(name), join(folder, inside))
    else passedOver.push(path)
  }
  const more = passedOver.length > NAMED_MAX ? [`and ${passedOver.length - NAMED_MAX} more files`] : []
  return [...passedOver.slice(0, NAMED_MAX).map((path) => `${path}: is no part of a bundle; passed over`), ...more]
}

async function unpack(bytes: Uint8Array | null, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes ?? "")
}
