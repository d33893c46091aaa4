/** What `verify` may find. */
export type ProblemKind = keyof typeof PROBLEMS

/** How a problem reads: what it means for whoever searches, and what mends it. */
interface ProblemWords {
  readonly meaning: string
  readonly remedy: string
  /** Whether `verify --repair` mends it. */
  readonly isRepairable: boolean
}

const AGAIN = "Delete these documents and upload or index them again: the same upload over them changes nothing"

/** Every kind of problem, in words for the person who operates the service. */
export const PROBLEMS = {
  object_missing: {
    meaning:
      "A row names a file of the object store that isn't there: a picture can't be shown, or an upload not be read",
    remedy: `${AGAIN}, or bring the file back (docs/operations.md, Restore an object)`,
    isRepairable: false,
  },
  object_orphan: {
    meaning: "A file of the object store that no row names takes room",
    remedy: "verify --repair removes it",
    isRepairable: true,
  },
  object_of_nobody: {
    meaning:
      "Files of the object store belong to a tenant that has no rows: it was erased, or the database is another one",
    remedy: "Look whether database and object store belong together; then erase that tenant (tenants erase)",
    isRepairable: false,
  },
  page_count: {
    meaning: "A document says it has another number of pages than there are",
    remedy: "verify --repair counts them",
    isRepairable: true,
  },
  page_missing: {
    meaning: "Chunks stand on a page that isn't there: a citation of them shows no picture",
    remedy: AGAIN,
    isRepairable: false,
  },
  parent_missing: {
    meaning: "Chunks name a parent that isn't there: a search that expands shows the chunk alone",
    remedy: AGAIN,
    isRepairable: false,
  },
  vector_missing: {
    meaning:
      "Chunks have no vector in an active space, while others of their document have: they are found by words alone",
    remedy: `${AGAIN}, or fill the active space (concordance spaces)`,
    isRepairable: false,
  },
  word_counts: {
    meaning: "The counts of words that ranking reads are not those of the chunks: scores are off",
    remedy: "verify --repair counts them",
    isRepairable: true,
  },
  last_chunk: {
    meaning: "A document would give a new chunk the number of one that it had: an old citation could show another text",
    remedy: "verify --repair raises the number",
    isRepairable: true,
  },
  entities: {
    meaning: "Chunks name entities that the list of entities doesn't have",
    remedy: "verify --repair writes them anew (as entities rebuild does)",
    isRepairable: true,
  },
  tombstone: {
    meaning: "A deleted document still has rows",
    remedy: "verify --repair removes them",
    isRepairable: true,
  },
  job_stuck: {
    meaning: "An upload is being worked on by nobody: its worker ended, or nothing has looked at it for a day",
    remedy:
      "The next start or upload takes it up; verify --repair puts it back into the queue. On AWS send its message again",
    isRepairable: true,
  },
  document_stuck: {
    meaning: "A document says that it waits or is read, and there is no job for it",
    remedy: "verify --repair marks it as failed, or as ready where it has chunks; upload a failed one again",
    isRepairable: true,
  },
  leftovers: {
    meaning: "What deletes, failed or expired uploads left is still to be removed",
    remedy: "The next upload of this tenant removes it, and so does verify --repair",
    isRepairable: true,
  },
  publication: {
    meaning: "An index elsewhere has a document that is gone here, or one that was written half",
    remedy: "concordance documents delete <id> --from <engine>, or publish it again with ingest --into",
    isRepairable: false,
  },
  temporary_file: {
    meaning: "Files that ended processes left under tmp/ take room",
    remedy: "verify --repair removes those that are older than a day",
    isRepairable: true,
  },
} as const satisfies Record<string, ProblemWords>

/** Documents that a problem names; of the rest it tells the number. */
const DOCUMENTS_NAMED = 20

/** One thing that doesn't add up. */
export interface Problem {
  readonly kind: ProblemKind
  /** Empty where it is nobody's own. */
  readonly tenant: string
  /** Rows, objects or files that it is about. */
  readonly count: number
  /** Ids of documents, at most 20. */
  readonly documents: readonly string[]
  readonly meaning: string
  readonly remedy: string
  /** Mended by this very call. */
  readonly repaired: boolean
}

/** A problem before anybody has mended it. */
export function problemOf(
  kind: ProblemKind,
  tenant: string,
  count: number,
  documents: readonly string[] = [],
): Problem {
  const { meaning, remedy } = PROBLEMS[kind]
  return { kind, tenant, count, documents: documents.slice(0, DOCUMENTS_NAMED), meaning, remedy, repaired: false }
}
