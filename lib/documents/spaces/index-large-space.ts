import type { OwnerDatabase } from "../../database/database.ts"
import { buildVectorIndex, countVectors } from "../../database/vector-index.ts"
import { currentSpace, readSpaces } from "./named-space.ts"

/** From here on an index is faster than an exact scan: `buildVectorIndex`. */
const INDEX_FROM = 50_000

/**
 * Builds the HNSW index of a space that was filled, where it is large or the tenant's own space has one: a swap must not make
 * searches slower. Built once the vectors are in: row by row it would take several times as long.
 *
 * @param vectorsMin from how many vectors on; 50,000 when absent
 * @returns whether it was built now
 * @throws AppError `not_found` for a space that isn't there
 */
export async function indexLargeSpace(
  owner: OwnerDatabase,
  tenant: string,
  model: string,
  vectorsMin = INDEX_FROM,
): Promise<boolean> {
  const spaces = await owner.session((session) => readSpaces(session, tenant))
  const space = spaces.find((each) => each.model === model)
  if (space?.indexed) return false
  const isLikeTheOld = currentSpace(spaces)?.indexed === true
  if (space && !isLikeTheOld && (await countVectors(owner, tenant, space.id)) < vectorsMin) return false
  await buildVectorIndex(owner, tenant, model)
  return true
}
