import { ChunkEntity } from "../annotations.ts"

/** Kinds of what a passage names. */
export const ENTITY_KINDS = ["person", "organisation", "place", "vessel", "event", "work"] as const

/** What the model is told of entities. */
export const ENTITY_RULE = `\`entities\`: people, organisations, places and the like that the text names, each once, \`name\` exactly as the text has it, without titles and articles. Kinds: ${ENTITY_KINDS.join(", ")}.`

/** More of one passage is a list that nobody browses, or a model that repeats itself. */
const ENTITIES_MAX = 40

/**
 * The model's entities that stand in the text, letter by letter and as whole words, each once; a line break counts as a
 * space. Whatever else it names it has from elsewhere, and is dropped.
 */
export function checkEntities(
  reply: readonly { readonly name: string; readonly kind: string }[],
  content: string,
): ChunkEntity[] {
  const text = plain(content)
  const kept = new Map<string, ChunkEntity>()
  for (const { name, kind } of reply) {
    const parsed = ChunkEntity.safeParse({ name: plain(name), kind })
    if (!parsed.success || !ENTITY_KINDS.some((known) => known === kind)) continue
    if (standsIn(text, parsed.data.name)) kept.set(JSON.stringify([kind, parsed.data.name]), parsed.data)
  }
  return [...kept.values()].slice(0, ENTITIES_MAX)
}

function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text.slice(0, at)
    const after = text.slice(at + name.length)
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{M}\p{N}]/u.test(after)) return true
  }
  return false
}

const plain = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim()
