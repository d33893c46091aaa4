import "./upload-desk.css"
import { useState } from "preact/hooks"
import { formatBytes } from "../parts/format.ts"
import { FileButton } from "./file-button.tsx"
import type { UploadOptions } from "./upload.ts"
import { UploadOptionsForm } from "./upload-options-form.tsx"
import { addFiles, uploadLimits } from "./upload-queue.ts"
import { useFileDrop } from "./use-file-drop.ts"

/** Where documents come in: by a button, or dropped anywhere on the page. */
export function UploadDesk() {
  const [options, setOptions] = useState<UploadOptions>({})
  const add = (files: readonly File[]) => {
    // What names one document can't name several.
    const { id, title, ...ofEach } = options
    addFiles(files, files.length === 1 ? options : ofEach)
    if (files.length === 1 && (id || title)) setOptions(ofEach)
  }
  const isOver = useFileDrop(add)
  const limits = uploadLimits.value
  return (
    <section class="upload-desk" aria-labelledby="upload-title" data-over={isOver}>
      <div class="upload-desk-words">
        <h2 id="upload-title">Add documents</h2>
        <p>
          Drop files or folders anywhere on this page: PDF, scans, Word, Excel, PowerPoint, EPUB, web pages, text.
          {limits && ` Up to ${formatBytes(limits.bytes_max)} each.`}
        </p>
      </div>
      <FileButton class="button button-primary" isMultiple onFiles={add}>
        Choose files…
      </FileButton>
      <UploadOptionsForm options={options} onChange={setOptions} />
      {isOver && (
        <div class="drop-veil" aria-hidden="true">
          <p>Drop to add to the library</p>
        </div>
      )}
      <p class="visually-hidden" role="status">
        {isOver ? "Files hang over the page: drop them to add them" : ""}
      </p>
    </section>
  )
}
