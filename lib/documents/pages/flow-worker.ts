import { readFile } from "node:fs/promises"
import { readFlow } from "../formats/read-flow.ts"
import { answerTasks } from "./answer-tasks.ts"

// The entry of a thread that reads files without pages.
answerTasks({ readFlow: async (path, format) => readFlow(format, await readFile(path)) }, () => false)
