import type { Command } from "commander"
import type { Terminal } from "./terminal.ts"
import { withDatabase } from "./with-runtime.ts"

export function addFeedbackCommand(program: Command, terminal: Terminal): void {
  const feedback = program.command("feedback").description("what people did with hits (POST /feedback)")
  feedback
    .command("export")
    .description("print it as judgments, JSON lines that `tune` reads: helpful 2, click 1, not helpful 0, their mean")
    .option("--tenant <name>", "whose", "primary")
    .action(({ tenant }: { readonly tenant: string }) => exportJudgments(tenant, terminal))
}

async function exportJudgments(tenant: string, terminal: Terminal): Promise<void> {
  const { createFeedback } = await import("../lib/search/feedback.ts")
  const judgments = await withDatabase((database) => createFeedback(database).judgments(tenant))
  for (const judgment of judgments) terminal.line(JSON.stringify(judgment))
  if (judgments.length === 0) terminal.note("There is no feedback yet: POST /feedback notes it.")
}
