import { MIGRATIONS_FOLDER, migrate } from "../../lib/database/migrate.ts"
import { openDatabase } from "../../lib/database/open-database.ts"

// Migrates the database of a URL, or of a home, and may kill itself in the midst of a migration, when its statements have run and its
// transaction is open: node --import tsx tests/faults/migrating-process.ts <url or home> <how many scripts to survive>

const [place = "", survived = "never"] = process.argv.slice(2)
let left = survived === "never" ? Number.POSITIVE_INFINITY : Number(survived)
const isUrl = place.startsWith("postgres://")
const { database, owner } = await openDatabase({ home: place, ...(isUrl && { url: place }) })
const applied = await migrate(
  {
    ...owner,
    session: (work) =>
      owner.session((session) =>
        work({
          ...session,
          async script(text) {
            await session.script(text)
            if (left-- <= 0) process.kill(process.pid, "SIGKILL")
          },
        }),
      ),
  },
  MIGRATIONS_FOLDER,
)
await Promise.all([database.close(), owner.close()])
process.stdout.write(JSON.stringify(applied))
