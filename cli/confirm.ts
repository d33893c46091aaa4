import { createInterface } from "node:readline/promises"

/** Asks a question that only `yes` agrees to. False at once where nobody is there to answer. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (process.stdin.isTTY !== true) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${question} Type yes to go on: `, { signal })
    return answer.trim().toLowerCase() === "yes"
  } finally {
    lines.close()
  }
}
