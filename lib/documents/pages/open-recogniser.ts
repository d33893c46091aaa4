import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { findMemory, limitMemory } from "./limit-memory.ts"
import { type WasmInstance, type WasmMemory, webAssembly } from "./web-assembly.ts"

/** Reads words from pixels. */
export interface Recogniser {
  /** `pixels` are grey, one byte each, dark on light. Boxes in pixels. Throws `RangeError` where memory doesn't suffice. */
  recognise(pixels: Uint8Array, width: number, height: number, dpi: number): Recognition
  memoryBytes(): number
}

export interface Recognition {
  readonly lines: readonly RecognisedLine[]
}

export interface PixelBox {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

export interface RecognisedLine {
  readonly bbox: PixelBox
  /** What the letters stand on, from the line's first to its last. */
  readonly baseline: PixelBox
  readonly rowAttributes: {
    /** From the longest descender to the highest ascender. */
    readonly rowHeight: number
    /** What of it is below the baseline. */
    readonly descenders: number
  }
  readonly words: readonly RecognisedWord[]
}

export interface RecognisedWord {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  readonly bbox: PixelBox
}

interface TessBaseApi {
  Init(dataPath: null, languages: string, engine: number): number
  SetVariable(name: string, value: string): void
  SetImageFile(exifOrientation: number, angle: number): number
  Recognize(monitor: null): number
  GetJSONText(): string
  Clear(): void
}

interface TesseractModule {
  readonly FS: {
    writeFile(path: string, data: Uint8Array, options?: { readonly canOwn: boolean }): void
    unlink(path: string): void
  }
  readonly TessBaseAPI: new () => TessBaseApi
}

type InstantiateWasm = (imports: object, done: (instance: WasmInstance) => void) => object
type LoadTesseract = (module: {
  TesseractProgress(percent: number): void
  print(line: string): void
  printErr(line: string): void
  instantiateWasm: InstantiateWasm
}) => Promise<TesseractModule>

/**
 * Both at once: on a page of each language a fifth to a half slower than its own alone, as exact (F1 97.6 and 98.1; 97.9
 * and 98.7 alone), where the other's alone has 97.2 and 91.
 */
const LANGUAGES = ["por", "eng"] as const
const ENGINE_LSTM = 1
/**
 * Columns, tables and lines are found by Tesseract, as its command does. Its library takes a page for one block otherwise:
 * then a ruled table gives not one word, a form F1 88 in place of 96, two columns 91 in place of 99, in the same time.
 */
const SEGMENTATION_AUTOMATIC = 3
const PAGE_FILE = "/input"

/**
 * Tesseract as WebAssembly, with English and Portuguese: 1 s and 60 MB. Its own module is run without tesseract.js, which
 * would start a second thread, look for data on the network, and take no data of two packages. Memory grows to
 * `memoryBytesMax` and no further.
 */
export async function openRecogniser(memoryBytesMax: number): Promise<Recogniser> {
  const require = createRequire(import.meta.url)
  const load: LoadTesseract = require("tesseract.js-core/tesseract-core-simd-lstm")
  const wasm = await webAssembly.compile(
    await readFile(require.resolve("tesseract.js-core/tesseract-core-simd-lstm.wasm")),
  )
  let memory: WasmMemory | null = null
  const module = await load({
    TesseractProgress: ignore,
    // It complains about pictures on the console.
    print: ignore,
    printErr: ignore,
    instantiateWasm(imports, done) {
      const instance = new webAssembly.Instance(wasm, imports)
      memory = findMemory(instance.exports)
      limitMemory(memory, memoryBytesMax)
      done(instance)
      return instance.exports
    },
  })
  for (const language of LANGUAGES) {
    const file = require.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`)
    module.FS.writeFile(`./${language}.traineddata`, await promisify(gunzip)(await readFile(file)))
  }
  const api = new module.TessBaseAPI()
  if (api.Init(null, LANGUAGES.join("+"), ENGINE_LSTM) !== 0) throw new Error("Tesseract does not start")
  api.SetVariable("tessedit_pageseg_mode", String(SEGMENTATION_AUTOMATIC))
  // It has read them: 10 MB.
  for (const language of LANGUAGES) module.FS.unlink(`./${language}.traineddata`)
  return {
    recognise: (pixels, width, height, dpi) => recognise(module, api, pixels, width, height, dpi),
    memoryBytes: () => memory?.buffer.byteLength ?? 0,
  }
}

function recognise(
  module: TesseractModule,
  api: TessBaseApi,
  pixels: Uint8Array,
  width: number,
  height: number,
  dpi: number,
): Recognition {
  // The file is this very memory.
  module.FS.writeFile(PAGE_FILE, toPgm(pixels, width, height), { canOwn: true })
  try {
    api.SetVariable("user_defined_dpi", String(Math.round(dpi)))
    if (api.SetImageFile(1, 0) !== 0) throw new Error("Tesseract does not read the picture")
    api.Recognize(null)
    return { lines: linesOf(JSON.parse(api.GetJSONText()) as Recognised) }
  } finally {
    api.Clear()
    module.FS.unlink(PAGE_FILE)
  }
}

/** The simplest format that Leptonica reads: nothing is compressed. */
function toPgm(pixels: Uint8Array, width: number, height: number): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}

interface Recognised {
  readonly blocks?: readonly { readonly paragraphs?: readonly { readonly lines?: readonly RecognisedLine[] }[] }[]
}

function linesOf({ blocks }: Recognised): RecognisedLine[] {
  return (blocks ?? []).flatMap((block) => (block.paragraphs ?? []).flatMap((paragraph) => paragraph.lines ?? []))
}

function ignore(): void {}
