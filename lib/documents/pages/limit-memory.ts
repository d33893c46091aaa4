import { type WasmMemory, webAssembly } from "./web-assembly.ts"

/** What a bounded memory tells. */
export interface MemoryLimit {
  /** Bytes now. It never shrinks: ending the thread alone gives it back. */
  memoryBytes(): number
  /** Whether more was asked for than allowed since the last call of `forgetRefusal`: what was made may lack something. */
  wasRefused(): boolean
  forgetRefusal(): void
}

const WASM_PAGE_BYTES = 65_536

/**
 * Keeps a WebAssembly memory from growing over `bytesMax`; limits of a worker thread (`resourceLimits`) do not hold for it.
 * Emscripten grows memory by this method alone and takes an exception for a no. It asks for a fifth more first, so that a
 * later yes counts.
 */
export function limitMemory(memory: WasmMemory, bytesMax: number): MemoryLimit {
  const grow = memory.grow.bind(memory)
  let refused = false
  memory.grow = (pages: number) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE_BYTES > bytesMax) {
      refused = true
      throw new RangeError("The module may not have more memory")
    }
    const before = grow(pages)
    refused = false
    return before
  }
  return {
    memoryBytes: () => memory.buffer.byteLength,
    wasRefused: () => refused,
    forgetRefusal() {
      refused = false
    },
  }
}

/** The memory that an instance exports, by whatever name. */
export function findMemory(exports: Readonly<Record<string, unknown>>): WasmMemory {
  const memory = Object.values(exports).find((value): value is WasmMemory => value instanceof webAssembly.Memory)
  if (memory === undefined) throw new Error("The module exports no memory")
  return memory
}
