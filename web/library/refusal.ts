import { formatBytes } from "../parts/format.ts"

/** What the server never reads, and what to do instead. The server looks into all others. */
const UNREADABLE: readonly (readonly [extensions: RegExp, advice: string])[] = [
  [/\.(doc|dot)$/i, "Word files of before 2007 can't be read. Save it as DOCX or PDF."],
  [/\.(xls|xlt)$/i, "Excel files of before 2007 can't be read. Save it as XLSX or CSV."],
  [/\.(ppt|pps)$/i, "PowerPoint files of before 2007 can't be read. Save it as PPTX or PDF."],
  [/\.(odt|ods|odp|rtf|pages|numbers|key)$/i, "Files of this kind can't be read. Save it as PDF or DOCX."],
  [/\.(gif|svg|bmp|heic|heif|avif|psd)$/i, "Pictures of this kind can't be read. Save it as PNG or JPEG."],
  [/\.(mp3|mp4|m4a|m4v|wav|mov|avi|mkv|webm|ogg|flac)$/i, "Sound and film can't be read, only pages and text."],
  [/\.(rar|7z|tar|gz|tgz|bz2|xz)$/i, "Archives can't be read. Unpack it and add its files."],
  [/\.(exe|dll|dmg|iso|bin|msi|apk)$/i, "Programs can't be read."],
]

/** Why a file need not even be sent; null where the server may judge. `bytesMax` is null while nobody knows it. */
export function refusalOf({ name, size }: Pick<File, "name" | "size">, bytesMax: number | null): string | null {
  if (size === 0) return "The file is empty."
  if (bytesMax !== null && size > bytesMax) {
    return `The file has ${formatBytes(size)}. This server takes at most ${formatBytes(bytesMax)}.`
  }
  return UNREADABLE.find(([extensions]) => extensions.test(name))?.[1] ?? null
}
