import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { init, type WrappedPdfiumModule } from "@embedpdf/pdfium"
import { findMemory, limitMemory, type MemoryLimit } from "./limit-memory.ts"
import type { WasmMemory } from "./web-assembly.ts"

/** PDFium and the memory it works in. Addresses are offsets into that memory. */
export interface Pdfium extends MemoryLimit {
  readonly api: WrappedPdfiumModule
  /** Views of the memory as it is now: growth makes a view stale, so none is kept across calls. */
  bytes(): Uint8Array
  floats(): Float32Array
  doubles(): Float64Array
  ints(): Int32Array
  /** Throws `RangeError` where the memory has reached its limit. `release` it. */
  allocate(bytes: number): number
  release(address: number): void
  /** Makes a function callable by PDFium; `signature` as Emscripten has it, `i` an int. */
  addFunction(callback: (...values: number[]) => number, signature: string): number
  removeFunction(address: number): void
}

interface Runtime {
  readonly wasmExports: Record<string, unknown> & { malloc(bytes: number): number; free(address: number): void }
  addFunction(callback: (...values: number[]) => number, signature: string): number
  removeFunction(address: number): void
}

/**
 * PDFium as WebAssembly, about 150 ms and 19 MB. Its memory grows to `memoryBytesMax` and no further.
 */
export async function openPdfium(memoryBytesMax: number): Promise<Pdfium> {
  const wasmBinary = await readFile(createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm"))
  // The package's types miss a file, so that its runtime is `any`. It complains about files on the console.
  const api = await init({ wasmBinary, print: ignore, printErr: ignore } as object)
  api.PDFiumExt_Init()
  const runtime = api.pdfium as unknown as Runtime
  const memory = findMemory(runtime.wasmExports)
  const viewsOf = createViews()
  return {
    api,
    ...limitMemory(memory, memoryBytesMax),
    bytes: () => viewsOf(memory).bytes,
    floats: () => viewsOf(memory).floats,
    doubles: () => viewsOf(memory).doubles,
    ints: () => viewsOf(memory).ints,
    allocate(bytes) {
      const address = runtime.wasmExports.malloc(bytes)
      if (address === 0) throw new RangeError("PDFium has no memory left")
      return address
    },
    release: (address) => runtime.wasmExports.free(address),
    addFunction: (callback, signature) => runtime.addFunction(callback, signature),
    removeFunction: (address) => runtime.removeFunction(address),
  }
}

interface Views {
  readonly bytes: Uint8Array
  readonly floats: Float32Array
  readonly doubles: Float64Array
  readonly ints: Int32Array
}

/** Views made once a growth: made for every character they take as long as reading it. */
function createViews(): (memory: WasmMemory) => Views {
  let views: Views | null = null
  return (memory) => {
    const { buffer } = memory
    if (views?.bytes.buffer === buffer) return views
    views = {
      bytes: new Uint8Array(buffer),
      floats: new Float32Array(buffer),
      doubles: new Float64Array(buffer),
      ints: new Int32Array(buffer),
    }
    return views
  }
}

function ignore(): void {}
