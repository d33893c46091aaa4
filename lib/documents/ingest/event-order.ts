import type { Transaction } from "../../database/database.ts"

const APPLY = `
  insert into upload_keys as k (source_account_id, key, document_id, announced, sequencer) values ($1, $2, $3, false, $4)
  on conflict (source_account_id, key) do update set sequencer = excluded.sequencer
   where k.sequencer is null or k.sequencer < excluded.sequencer
  returning 1`

/** Longest sequencer that is taken, digits: Amazon's have 16 to 18. */
const DIGITS_MAX = 64

/** An event of the bucket about one key. */
export interface KeyEvent {
  readonly key: string
  /** Absent where the bucket gives none, or something else than hexadecimal digits: then nothing is known of the order. */
  readonly sequencer?: string | undefined
}

/**
 * Notes an event of a key, unless one that came later, or this very one, was applied before: false. Whoever calls it
 * holds the document's row, if there is one.
 */
export async function applyInOrder(
  transaction: Transaction,
  tenant: string,
  documentId: string,
  { key, sequencer }: KeyEvent,
): Promise<boolean> {
  const comparable = sequencer === undefined ? undefined : comparableSequencer(sequencer)
  if (comparable === undefined) return true
  return (await transaction.query(APPLY, [tenant, key, documentId, comparable])).length > 0
}

/**
 * Sequencers as text that compares as they do: hexadecimal numbers, the shorter filled up with zeros on its left (Amazon
 * S3 User Guide, "Event message structure"; earlier editions said right). Undefined for any other text.
 */
function comparableSequencer(sequencer: string): string | undefined {
  if (!/^[0-9a-f]+$/i.test(sequencer) || sequencer.length > DIGITS_MAX) return undefined
  return sequencer.toLowerCase().padStart(DIGITS_MAX, "0")
}
