import { useState } from "preact/hooks"
import { ApiFailure } from "../api/api-failure.ts"
import { saveFile } from "../api/save-file.ts"

interface SaveButtonProps {
  /** Path in the API. */
  readonly path: string
  /** The file's name, without its ending. */
  readonly name: string
  readonly children: string
  /** What it is of, for those who hear the button alone: `of page 7`. */
  readonly of: string
}

/** Keeps a file of the API; says so when it can't be had. */
export function SaveButton({ path, name, children, of }: SaveButtonProps) {
  const [state, setState] = useState<"" | "Fetching…" | string>("")
  const save = () => {
    setState("Fetching…")
    saveFile(path, name).then(
      () => setState(""),
      (error: unknown) => setState(error instanceof ApiFailure ? error.title : "It can't be kept"),
    )
  }
  return (
    <>
      <button
        type="button"
        class="button-quiet"
        onClick={save}
        aria-label={`${children} ${of}`}
        disabled={state === "Fetching…"}
      >
        {children}
      </button>
      <small role="status">{state}</small>
    </>
  )
}
