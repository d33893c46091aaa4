import { readdir, readFile } from "node:fs/promises"
import type pg from "pg"

/** One look at the server and its database. */
export interface SoakSample {
  /** Since the load began, s. */
  readonly second: number
  readonly rssMb: number
  /** Open files and sockets of the process. */
  readonly handles: number
  /** Tables of the schema with their indexes, MB, by name; the large ones. */
  readonly tablesMb: Readonly<Record<string, number>>
  readonly connections: number
}

const TABLES = `
  select relname, pg_total_relation_size(oid)::float8 / 1048576 as mb from pg_class
   where relnamespace = 'concordance'::regnamespace and relkind = 'r' and pg_total_relation_size(oid) > 1048576
   order by 2 desc`

const CONNECTIONS = `select count(*)::int as n from pg_stat_activity where application_name = 'concordance'`

/** Looks at the process of `pid` (Linux) and at the database. */
export async function takeSample(pid: number, client: pg.Client, second: number): Promise<SoakSample> {
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  const tables = (await client.query<{ relname: string; mb: number }>(TABLES)).rows
  const [connections] = (await client.query<{ n: number }>(CONNECTIONS)).rows
  return {
    second,
    rssMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024),
    handles: (await readdir(`/proc/${pid}/fd`)).length,
    tablesMb: Object.fromEntries(tables.map(({ relname, mb }) => [relname, Math.round(mb * 10) / 10])),
    connections: connections?.n ?? 0,
  }
}

/** The slope of the straight line through the points, by least squares; 0 for fewer than two. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(points.map((point) => point.x))
  const y = mean(points.map((point) => point.y))
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  if (points.length < 2 || spread === 0) return 0
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread
}
