/** What the extensions of our own keys and of common uploads stand for. */
const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  webp: "image/webp",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  tif: "image/tiff",
  tiff: "image/tiff",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  epub: "application/epub+zip",
  html: "text/html",
  htm: "text/html",
  md: "text/markdown",
  txt: "text/plain",
  csv: "text/csv",
  json: "application/json",
  zip: "application/zip",
}

/** The media type that a key's extension stands for; `application/octet-stream` where it stands for none. */
export function contentTypeOf(key: string): string {
  const extension = /\.([a-z0-9]+)$/.exec(key)?.[1] ?? ""
  return (Object.hasOwn(TYPES, extension) && TYPES[extension]) || "application/octet-stream"
}
