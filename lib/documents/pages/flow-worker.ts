import { readFile } from "node:fs/promises"
import { unpackBundle } from "../bundles/unpack-bundle.ts"
import { readFlow } from "../formats/read-flow.ts"
import { answerTasks } from "./answer-tasks.ts"

// The entry of a thread that reads files without pages, and archives.
answerTasks(
  {
    readFlow: async (path, format) => readFlow(format, await readFile(path)),
    unpackBundle: async (path, folder) => unpackBundle(await readFile(path), folder),
  },
  () => false,
)
