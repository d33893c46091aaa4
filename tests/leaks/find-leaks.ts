import { send, settled } from "./answers.ts"
import { markerIn } from "./marks.ts"
import type { LeakWorld } from "./open-world.ts"
import type { Probe } from "./probe.ts"

/** Characters of a difference that are shown. */
const SHOWN = 600

/**
 * Sends each probe and its twin with a key. Tells, of each, what came that is another's, and where the answer isn't that
 * of what nobody has.
 */
export async function findLeaks(world: LeakWorld, probes: readonly Probe[], key: string): Promise<readonly string[]> {
  const leaks: string[] = []
  for (const { label, request, twin, sent, twinSent } of probes) {
    const foreign = await send(world.served, request, key)
    const marker = markerIn(`${foreign.headers}\n${foreign.body}`, sent)
    if (marker !== null) leaks.push(`${label}: ${foreign.status} holds …${marker}…`)
    if (!twin) continue
    const heard = settled(foreign, sent)
    const ofNobody = settled(await send(world.served, twin, key), twinSent)
    if (heard !== ofNobody) leaks.push(`${label}:\n${heard.slice(0, SHOWN)}\nis not\n${ofNobody.slice(0, SHOWN)}`)
  }
  return leaks
}

/** The functions that search, asked in the database as the service asks them: what they find of another's. */
export async function findForeignCandidates(world: LeakWorld): Promise<readonly string[]> {
  const found = await world.queryAsIntruder(`
    select c.document_id
      from lexical_query('secret of the harbour zyrqsecret zyrqname') q,
           lexical_candidates(q.weights, q.matching, q.fallback, q.required, null, 1000) c`)
  return found.flatMap(({ document_id }) => (markerIn(String(document_id), []) === null ? [] : [String(document_id)]))
}

/**
 * Whether the owner's own answer to a probe shows what an intruder must not see: a marker, or another answer than of what
 * nobody has. A probe that shows the owner nothing would find no leak either.
 */
export async function showsOwner(world: LeakWorld, { request, twin, sent, twinSent }: Probe): Promise<boolean> {
  const own = await send(world.served, request, world.keys.owner)
  if (own.status >= 300 || own.body.includes('"isError":true')) return false
  if (markerIn(`${own.headers}\n${own.body}`, sent) !== null) return true
  return twin !== null && settled(own, sent) !== settled(await send(world.served, twin, world.keys.owner), twinSent)
}
