/** Longest part of an id that comes from the file's name, characters. */
const NAME_CHARS_MAX = 80

/**
 * Id of a document that its uploader gave none: the file's name as plain words, and the beginning of its digest. The
 * same file again has the same id; another of the same name has not.
 */
export function documentIdFor(fileName: string, sha256: string): string {
  const name = fileName
    .replace(/\.[A-Za-z0-9]{1,8}$/, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, NAME_CHARS_MAX)
    .replace(/^-+|-+$/g, "")
  return `${name.toWellFormed() || "document"}-${sha256.slice(0, 12)}`
}
