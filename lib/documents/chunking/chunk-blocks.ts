import { setImmediate } from "node:timers/promises"
import type { AssembledChunk, AssembledDocument, AssembledParent, AssembledTable } from "../assembled-document.ts"
import type { Block, PageSize, ReadDocument } from "../block.ts"
import { CHUNK_CHARS_MAX } from "../index-request.ts"
import type { CountTokens } from "../split-text.ts"
import { contentOf, joinSlices, slicesOf, tailOf } from "./chunk-content.ts"
import { cutUnits } from "./cut-units.ts"
import { type ChunkOptions, childRoom, createMeasure, type Measure } from "./measure.ts"
import { type Limit, packUnits } from "./pack-units.ts"
import { REGIONS_MAX, regionsOf } from "./regions-of.ts"
import type { Unit } from "./unit.ts"

/** Longest stretch of work before others get a turn, ms. */
const TURN_MS = 10

/** What every step needs. */
interface Assembly {
  readonly blocks: readonly Block[]
  readonly pages: ReadonlyMap<number, PageSize>
  readonly measure: Measure
  readonly options: ChunkOptions
  /** Lets others have a turn where it is due. */
  pause(): Promise<void>
}

/**
 * Cuts a document into children of about 256 tokens inside parents of about 1,024, or into as many characters as the
 * options say. Their contents in a row are the document's text: nothing is lost, and nothing stands there twice but the
 * heads of tables and the overlap that was asked for. A parent with one child that says the same is left out.
 * `countTokens` is the embedder's.
 */
export async function chunkBlocks(
  document: ReadDocument,
  options: ChunkOptions,
  countTokens: CountTokens,
): Promise<AssembledDocument> {
  const { blocks } = document
  const measure = createMeasure(options, countTokens)
  const pages = new Map(document.pages.map((page) => [page.number, page]))
  const assembly: Assembly = { blocks, pages, measure, options, pause: createPause() }
  const units: Unit[] = []
  for (const unit of cutUnits(blocks, measure)) {
    units.push(unit)
    await assembly.pause()
  }
  const parts = await assemble(units, assembly)
  return { ...parts, tables: blocks.filter((block) => block.kind === "table").map(tableOf) }
}

function createPause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await setImmediate()
    since = performance.now()
  }
}

async function assemble(
  units: readonly Unit[],
  assembly: Assembly,
): Promise<Pick<AssembledDocument, "chunks" | "parents">> {
  const { flat } = assembly.options
  if (isShort(units, assembly.measure)) return { chunks: [chunkOf(units, [], null, assembly)], parents: [] }
  const chunks: AssembledChunk[] = []
  const parents: AssembledParent[] = []
  for (const group of flat ? [units] : packUnits(units, parentLimit(assembly.measure), false)) {
    const children = childrenOf(group, flat, assembly)
    const parent = flat ? null : parentOf(group, assembly)
    const isOne =
      children.length === 1 && children[0] !== undefined && contentOf(children[0], assembly.blocks) === parent?.content
    if (parent && !isOne) parents.push(parent)
    for (const [i, child] of children.entries()) {
      const overlap = i > 0 ? overlapOf(children[i - 1] ?? [], child, assembly) : []
      chunks.push(chunkOf(child, overlap, parent && !isOne ? parents.length - 1 : null, assembly))
      await assembly.pause()
    }
  }
  return { chunks, parents }
}

/** Whether a document without tables and figures is one chunk, as `prepare-document.ts` has it. */
function isShort(units: readonly Unit[], { wholeMax }: Measure): boolean {
  let cost = 0
  let chars = 0
  for (const unit of units) {
    if (unit.table || unit.alone) return false
    cost += unit.size.child
    chars += unit.size.chars
  }
  const turns = units.reduce((sum, unit) => sum + unit.turns, 0)
  return units.length > 0 && cost <= wholeMax && chars <= CHUNK_CHARS_MAX && turns <= REGIONS_MAX
}

function parentLimit({ parentMax }: Measure): Limit {
  return { by: "parent", max: parentMax, charsMax: CHUNK_CHARS_MAX, turnsMax: REGIONS_MAX, joinsSections: true }
}

function childLimit(units: readonly Unit[], measure: Measure): Limit {
  const pathCost = units.reduce((most, unit) => Math.max(most, unit.pathCost), 0)
  const max = childRoom(measure, pathCost)
  return { by: "child", max, charsMax: CHUNK_CHARS_MAX, turnsMax: REGIONS_MAX, joinsSections: false }
}

/** Children of a group in reading order: tables apart from the text around them, figures and parts of rows alone. */
function childrenOf(group: readonly Unit[], flat: boolean, { measure }: Assembly): (readonly Unit[])[] {
  const runs: Unit[][] = []
  for (const unit of group) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run && before && !unit.alone && !before.alone && unit.table === before.table) run.push(unit)
    else runs.push([unit])
  }
  return runs.flatMap((run) => packUnits(run, childLimit(run, measure), !flat || run[0]?.table !== null))
}

/** What the chunk before ends with, where the options ask for it and both are text. */
function overlapOf(before: readonly Unit[], child: readonly Unit[], { blocks, options }: Assembly) {
  const isText = (units: readonly Unit[]): boolean => units.every((unit) => unit.table === null && !unit.alone)
  if (options.chunkChars === null || options.overlapChars === 0 || !isText(before) || !isText(child)) return []
  return tailOf(before, blocks, options.overlapChars)
}

function chunkOf(
  units: readonly Unit[],
  overlap: ReturnType<typeof tailOf>,
  parent: number | null,
  { blocks, pages }: Assembly,
): AssembledChunk {
  const content = contentOf(units, blocks)
  const [first] = units
  const last = overlap.at(-1)
  const joint = first && last && first.lead.length === 0 && last.block === first.body.block ? " " : "\n\n"
  return {
    kind: kindOf(units),
    content: overlap.length > 0 ? joinSlices(overlap, blocks) + joint + content : content,
    regions: regionsOf([...overlap, ...slicesOf(units)], blocks, pages),
    headings: commonPath(units),
    parent,
    table: first?.table?.number ?? null,
  }
}

function kindOf(units: readonly Unit[]): AssembledChunk["kind"] {
  const [first] = units
  return first && units.every((unit) => unit.kind === first.kind) ? first.kind : "text"
}

function parentOf(units: readonly Unit[], { blocks, pages }: Assembly): AssembledParent {
  return {
    content: contentOf(units, blocks),
    regions: regionsOf(slicesOf(units), blocks, pages),
    headings: commonPath(units),
  }
}

/** Headings that stand over all of the units. */
function commonPath(units: readonly Unit[]): string[] {
  const path = [...(units[0]?.path ?? [])]
  for (const unit of units) {
    if (unit.path === units[0]?.path) continue
    const same = path.findIndex((heading, i) => unit.path[i] !== heading)
    if (same >= 0) path.length = same
  }
  return path
}

function tableOf(block: Block, index: number): AssembledTable {
  return {
    number: index + 1,
    rows: block.table?.rows ?? [],
    headerRows: block.table?.headerRows ?? 0,
    firstPage: block.spans[0]?.page ?? null,
    lastPage: block.spans.at(-1)?.page ?? null,
  }
}
