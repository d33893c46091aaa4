// A worker thread starts from JavaScript: Node 20 refuses a .ts file as one's entry, even under tsx. Required, not imported:
// for imports tsx runs a second thread beside each, of 40 MB.
import { require as load } from "tsx/cjs/api"

load("./page-worker.ts", import.meta.url)
