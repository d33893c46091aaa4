import { Command, CommanderError } from "commander"
import { addBenchCommand } from "./bench.ts"
import { addClientCommand } from "./client.ts"
import { addDemoCommand } from "./demo.ts"
import { describeFailure } from "./describe-failure.ts"
import { addDocumentsCommand } from "./documents.ts"
import { addEntitiesCommand } from "./entities.ts"
import { CommandFailed, EXIT } from "./exit.ts"
import { addExportCommand } from "./export.ts"
import { addFeedbackCommand } from "./feedback.ts"
import { addImportCommand } from "./import.ts"
import { addIndexCheckCommand } from "./index-check.ts"
import { addIndexCommand } from "./index-folder.ts"
import { addInferenceCommand } from "./inference.ts"
import { addIngestCommand } from "./ingest.ts"
import { addKeysCommand } from "./keys.ts"
import { addMcpCommand } from "./mcp.ts"
import { addMigrateCommand } from "./migrate.ts"
import { addModelsCommand } from "./models.ts"
import { addOpenCommand } from "./open.ts"
import { addSearchCommand } from "./search.ts"
import { addServeCommand } from "./serve.ts"
import { addSpacesCommand } from "./spaces.ts"
import { addSweepCommand } from "./sweep.ts"
import { addTenantsCommand } from "./tenants.ts"
import type { Terminal } from "./terminal.ts"
import { addTuneCommand } from "./tune.ts"
import { addUsageCommand } from "./usage.ts"
import { addVerifyCommand } from "./verify.ts"
import { addWebhooksCommand } from "./webhooks.ts"

/** Runs one command and gives its exit status; nothing is thrown. A command's modules are loaded when it runs. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal)
  try {
    await program.parseAsync(args, { from: "user" })
    return terminal.signal.aborted ? EXIT.interrupted : EXIT.ok
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.note("Stopped.")
      return EXIT.interrupted
    }
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (error instanceof CommandFailed) return error.status
    terminal.note(describeFailure(error, program.opts<{ verbose?: true }>().verbose === true))
    return EXIT.failure
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new Command("concordance")
    .description("Finds passages by meaning and by words, on plain Postgres or on its own.")
    .option("--verbose", "show where an error came from")
    .configureOutput({
      writeOut: (text) => terminal.line(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    })
    .showHelpAfterError("Run it with --help to see how it is called.")
    .exitOverride()
    .addHelpText("after", "\nSettings come from the environment: see docs/configuration.md.")
  for (const add of COMMANDS) add(program, terminal)
  return program
}

const COMMANDS = [
  addServeCommand,
  addIndexCommand,
  addIndexCheckCommand,
  addIngestCommand,
  addImportCommand,
  addExportCommand,
  addDocumentsCommand,
  addOpenCommand,
  addEntitiesCommand,
  addSearchCommand,
  addMcpCommand,
  addClientCommand,
  addMigrateCommand,
  addModelsCommand,
  addInferenceCommand,
  addKeysCommand,
  addWebhooksCommand,
  addSpacesCommand,
  addUsageCommand,
  addVerifyCommand,
  addTenantsCommand,
  addTuneCommand,
  addFeedbackCommand,
  addSweepCommand,
  addBenchCommand,
  addDemoCommand,
]
