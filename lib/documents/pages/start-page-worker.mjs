// A worker thread starts from JavaScript: Node 20 refuses a .ts file as one's entry, even under tsx.
import { register } from "tsx/esm/api"

register()
await import("./page-worker.ts")
