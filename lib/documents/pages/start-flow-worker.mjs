// As start-page-worker.mjs, but what reads a format is imported when one comes, and only a loader can do that.
import { register } from "tsx/esm/api"

register()
await import("./flow-worker.ts")
