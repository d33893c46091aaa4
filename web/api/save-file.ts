import { request } from "./call.ts"

/** What a content type's file is called at its end. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/webp": ".webp",
  "image/jpeg": ".jpg",
  "text/csv": ".csv",
}

/**
 * Fetches a file of the API, with the key where there is one, and hands it to the browser to keep. `name` has no ending: the
 * answer's type gives it. Throws an `ApiFailure`.
 */
export async function saveFile(path: string, name: string): Promise<void> {
  const response = await request(path)
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement("a")
  link.href = address
  link.download = name.replace(/[^\p{L}\p{N}._-]+/gu, "-") + endingOf(response)
  link.click()
  // The browser takes the file up after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

function endingOf(response: Response): string {
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? ""
  return ENDINGS[type] ?? ""
}
