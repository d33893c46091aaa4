/** A rectangle in points (1/72 inch) from the top left of the page as displayed, that is with rotation and CropBox applied. */
export interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** A word where it stands. */
export interface Word extends Box {
  readonly text: string
  /** Height of its font in points; of a scan, the height of its line. */
  readonly fontSize: number
  readonly bold: boolean
  /** It ends its line with a hyphen (which `text` still has), and the next word may be its other half. */
  readonly hyphenated: boolean
}

/** Where the words of a page came from; `none`: a picture without any, or an empty page. */
export type TextSource = "embedded" | "ocr" | "none"

/** What stands on one page. */
export interface PageText {
  /** From 1. */
  readonly number: number
  /** Points, as displayed. */
  readonly width: number
  readonly height: number
  readonly source: TextSource
  /** Mean confidence of the recognised words, 0 to 100; null where nothing was recognised. */
  readonly confidence: number | null
  /** In the order of the file or of recognition, which need not be that of reading. */
  readonly words: readonly Word[]
  /** Pictures on the page, but for one that fills it (a scan). */
  readonly figures: readonly Box[]
  /** Ruling lines: boxes of at most 2 points in one direction, as tables have them. */
  readonly rules: readonly Box[]
}

/** The picture of a page. */
export interface PageImage {
  readonly bytes: Uint8Array
  readonly mimeType: "image/png" | "image/webp"
  /** Pixels. */
  readonly width: number
  readonly height: number
}
