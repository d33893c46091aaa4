// A worker thread starts from JavaScript: see lib/documents/pages/start-page-worker.mjs.
import { require } from "tsx/cjs/api"

require("./passage-worker.ts", import.meta.url)
