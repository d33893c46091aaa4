import { useEffect, useRef } from "preact/hooks"

/** A modal dialog that opens and closes with a value of the page. */
export function useDialog(isOpen: boolean) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!isOpen) dialog.current?.close()
    else if (!dialog.current?.open) dialog.current?.showModal()
  }, [isOpen])
  return dialog
}
