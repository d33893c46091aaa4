/** A module's memory. `buffer` is another after each growth. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** By pages of 64 KiB; the number before. Throws `RangeError`. */
  grow(pages: number): number
}

/** A module that was loaded. */
export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

interface WebAssemblyApi {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum?: number }) => WasmMemory
  readonly Instance: new (module: object, imports: object) => WasmInstance
  compile(bytes: Uint8Array): Promise<object>
}

/** Node's WebAssembly: TypeScript has its types only among those of browsers. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
