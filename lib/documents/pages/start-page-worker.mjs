// A worker thread starts from JavaScript: Node 20 refuses a .ts file as one's entry, even under tsx. It is required, not
// imported: for imports tsx runs a second thread beside each, and the two take 80 MB instead of 40. What is required so
// can't import TypeScript later on.
import { require } from "tsx/cjs/api"

require("./page-worker.ts", import.meta.url)
