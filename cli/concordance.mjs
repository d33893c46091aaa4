#!/usr/bin/env node
// The command as npm installs it: there is no build step, so tsx reads the TypeScript as it is.
import { register } from "tsx/esm/api"

register()
await import("./concordance.ts")
