import { languageName } from "../parts/format.ts"
import type { UploadOptions } from "./upload.ts"

interface UploadOptionsFormProps {
  readonly options: UploadOptions
  readonly onChange: (options: UploadOptions) => void
}

/** Those that search knows the words of best; any other is told from the text. */
const LANGUAGES = ["en", "pt", "pt-BR", "de", "es", "fr", "it", "nl"]

/** What may be said of the next files, folded away. */
export function UploadOptionsForm({ options, onChange }: UploadOptionsFormProps) {
  const set = (change: UploadOptions) => onChange({ ...options, ...change })
  return (
    <details class="upload-options">
      <summary>Options</summary>
      <div class="upload-options-fields">
        <label class="field">
          <span>
            Title <small>of the next file, in place of its own</small>
          </span>
          <input
            value={options.title ?? ""}
            maxLength={2_000}
            onInput={(event) => set({ title: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>
            Id <small>of the next file; replaces what has it</small>
          </span>
          <input
            value={options.id ?? ""}
            maxLength={1_024}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => set({ id: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Language</span>
          <select
            value={options.language ?? ""}
            onChange={(event) => set({ language: event.currentTarget.value || undefined })}
          >
            <option value="">Told from the text</option>
            {LANGUAGES.map((tag) => (
              <option key={tag} value={tag}>
                {languageName(tag)}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={options.flat ?? false}
            onChange={(event) => set({ flat: event.currentTarget.checked })}
          />
          <span>
            Short passages only <small>without the longer ones around them</small>
          </span>
        </label>
      </div>
    </details>
  )
}
