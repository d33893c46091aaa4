import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"

export function addMigrateCommand(program: Command, terminal: Terminal): void {
  program
    .command("migrate")
    .description("bring the database to this version (as MIGRATION_DATABASE_URL, or DATABASE_URL without it)")
    .action(() => migrateDatabase(terminal))
}

async function migrateDatabase(terminal: Terminal): Promise<void> {
  const { openConfiguredDatabase } = await import("./open-configured.ts")
  const { migrate, MIGRATIONS_FOLDER } = await import("../lib/database/migrate.ts")
  const { database, owner } = await openConfiguredDatabase()
  try {
    const applied = await migrate(owner, MIGRATIONS_FOLDER)
    for (const name of applied) terminal.line(`Applied ${name}`)
    if (applied.length === 0) terminal.line("The database is up to date.")
  } finally {
    await database.close()
    await owner.close()
  }
}
