/** Letters that no decomposition takes apart, and how an archive's index files them. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
}
/** Code points of a key: a key is part of an index row, which holds 2,704 bytes. */
const KEY_LENGTH_MAX = 200

/**
 * A name as entities are compared by it. Compatibility forms are resolved (NFKD: `ﬁ`, `Nº`), accents dropped, letters in
 * lower case, `ß æ œ ø ł đ ð þ ı` spelled out, and every run of anything but letters and digits becomes one space: `Amélia
 * FURTADO`, `amelia furtado` and `Amelia-Furtado` are one. Order and initials count: `A. Furtado` is another. Empty for a
 * name without a letter or digit. The database is not asked, whose idea of a letter depends on its locale.
 */
export function entityKey(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => FOLDED[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
  return Array.from(plain).slice(0, KEY_LENGTH_MAX).join("").trim()
}

/** Id of an entity: its kind and its key, `person:amelia-furtado`. */
export function entityId(kind: string, name: string): string {
  return `${kind}:${entityKey(name).replaceAll(" ", "-")}`
}
