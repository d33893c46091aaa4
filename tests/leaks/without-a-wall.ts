import type { LeakWorld } from "./open-world.ts"

/** The line of `lexical_candidates`, which runs past row-level security, that keeps tenants apart. */
const LINE = /^(\s*)where c\.source_account_id = tenant\n\s*and /m

/** Runs `work` while the candidates function is without that line. Throws where it has none. */
export async function withoutLine({ served }: LeakWorld, work: () => Promise<void>): Promise<void> {
  const { owner } = served.runtime
  const [row] = await owner.session((session) =>
    session.query<{ source: string }>("select pg_get_functiondef('concordance.lexical_candidates'::regproc) as source"),
  )
  const source = row?.source ?? ""
  if (!LINE.test(source)) throw new Error("lexical_candidates has no line about the tenant where it had one")
  await owner.session((session) => session.script(source.replace(LINE, "$1where ")))
  try {
    await work()
  } finally {
    await owner.session((session) => session.script(source))
  }
}

/** Runs `work` while the service's role sees every tenant's rows of one table. */
export async function withoutPolicy({ served }: LeakWorld, table: string, work: () => Promise<void>): Promise<void> {
  const { owner } = served.runtime
  const create = `create policy without_a_wall on concordance.${table} to concordance_app using (true)`
  await owner.session((session) => session.script(create))
  try {
    await work()
  } finally {
    await owner.session((session) => session.script(`drop policy without_a_wall on concordance.${table}`))
  }
}
