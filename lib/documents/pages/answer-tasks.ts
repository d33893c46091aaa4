import { parentPort } from "node:worker_threads"
import { AppError } from "../../errors.ts"
import type { PageTasks, TaskReply, TaskRequest } from "./page-tasks.ts"

/** Makes this thread answer its pool: `tasks` are those it can do, `isSpent` whether it should end after one. */
export function answerTasks(tasks: Partial<PageTasks>, isSpent: () => boolean): void {
  const answer = async (request: TaskRequest) => {
    const result = await run(tasks, request)
    parentPort?.postMessage({ id: request.id, retire: isSpent(), result } satisfies TaskReply)
  }
  parentPort?.on("message", (request: TaskRequest) => void answer(request))
}

async function run(tasks: Partial<PageTasks>, { task, values }: TaskRequest): Promise<TaskReply["result"]> {
  try {
    const perform = tasks[task] as (...values: readonly unknown[]) => Promise<unknown>
    return { value: await perform(...values) }
  } catch (error) {
    if (error instanceof AppError) return { error: { code: error.code, message: error.message } }
    return { error: { code: null, message: error instanceof Error ? error.message : String(error) } }
  }
}
