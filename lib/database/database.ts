/** What a driver takes as a parameter. Objects go in as JSON text with a `::jsonb` cast, vectors as text. */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly number[]
  | readonly (string | null)[]

/** One parameterised SQL statement. */
export interface Statement {
  readonly text: string
  readonly values?: readonly SqlValue[]
}

/** A row as the driver gives it. Statements cast so that the three drivers agree: int8 as text or float8, times as text. */
export type Row = Record<string, unknown>

/**
 * Whose rows a unit of work may see: those of a tenant, or the one API key whose hash it knows.
 * Row-level security does the rest; with neither setting, nothing is visible.
 */
export type Scope = { readonly tenant: string } | { readonly apiKeyHash: string }

export interface UnitOptions {
  /**
   * How long the unit of work may take, with the wait for its connection, ms. The server cancels a statement that takes as long
   * (`deadline_exceeded`); one that says nothing is given up soon after, with its connection (`database_unavailable`): whether a
   * commit under way was heard is not known then.
   */
  readonly timeoutMs?: number
}

/** What runs inside one open transaction. */
export interface Transaction {
  query<R extends Row = Row>(text: string, values?: readonly SqlValue[]): Promise<R[]>
}

/**
 * The run-time side of the database: every unit of work runs as `concordance_app`, in a transaction that names its
 * scope, and there is no other way in.
 */
export interface Database {
  readonly driver: "pglite" | "pg" | "neon"
  /** Runs the statements in one transaction and, where the driver can, one round trip. One list of rows a statement. */
  batch(scope: Scope, statements: readonly Statement[], options?: UnitOptions): Promise<Row[][]>
  /** An interactive transaction: committed when `work` resolves, rolled back when it throws. */
  transaction<T>(scope: Scope, work: (transaction: Transaction) => Promise<T>, options?: UnitOptions): Promise<T>
  /** Resolves when the database answers; throws `database_unavailable`. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** One session of the owner: migrations, keys and index builds. It sees every tenant, so no route ever holds one. */
export interface OwnerSession extends Transaction {
  /** Runs a script of several statements, without parameters. */
  script(text: string): Promise<void>
  /** Runs `work` between BEGIN and COMMIT. */
  transaction<T>(work: () => Promise<T>): Promise<T>
}

/** The owner's way in: `MIGRATION_DATABASE_URL`, or the embedded database itself. */
export interface OwnerDatabase {
  /** Opens one session, hands it to `work`, and gives it back. */
  session<T>(work: (session: OwnerSession) => Promise<T>): Promise<T>
  close(): Promise<void>
}
