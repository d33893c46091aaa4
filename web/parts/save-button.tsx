import { useState } from "preact/hooks"
import { ApiFailure } from "../api/api-failure.ts"
import { saveFile } from "../api/save-file.ts"
import { BusyButton } from "./busy-button.tsx"

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
      <BusyButton class="button-quiet" isBusy={state === "Fetching…"} onClick={save} label={`${children} ${of}`}>
        {children}
      </BusyButton>
      <small role="status">{state}</small>
    </>
  )
}
