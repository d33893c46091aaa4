import { measureM3Shape } from "./m3-shape.ts"

// The process that `bench m3-shape` measures in: what to measure as JSON in, the figures as JSON out.
const figures = await measureM3Shape(JSON.parse(process.argv[2] ?? ""))
process.stdout.write(JSON.stringify(figures))
