import type { ComponentChildren } from "preact"

interface FileButtonProps {
  readonly children: ComponentChildren
  readonly onFiles: (files: readonly File[]) => void
  readonly isMultiple?: boolean
  readonly class?: string
  /** Names what the file is for, where the text alone doesn't. */
  readonly label?: string | undefined
}

/** What file dialogs offer at first; anything may be chosen, and the server looks into it. */
const OFFERED =
  ".pdf,.png,.jpg,.jpeg,.webp,.tif,.tiff,.docx,.xlsx,.pptx,.epub,.html,.htm,.md,.markdown,.csv,.tsv,.txt,.zip,text/*"

/** A button that opens the file dialog. */
export function FileButton({
  children,
  onFiles,
  isMultiple = false,
  class: className = "button",
  label,
}: FileButtonProps) {
  const take = ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
    const files = [...(input.files ?? [])]
    // So that the same file can be chosen again.
    input.value = ""
    if (files.length > 0) onFiles(files)
  }
  return (
    <label class={`file-button ${className}`}>
      <input
        type="file"
        class="visually-hidden"
        multiple={isMultiple}
        accept={OFFERED}
        aria-label={label}
        onChange={take}
      />
      {children}
    </label>
  )
}
