import { useEffect, useRef, useState } from "preact/hooks"
import { bringsFiles, droppedFiles } from "./dropped-files.ts"

/** Makes the whole window take files; true while some hang over it. */
export function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!bringsFiles(event.dataTransfer)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy"
      setOver(true)
    }
    // Without a related target it has left the window, and not one element for the next.
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!event.dataTransfer || !bringsFiles(event.dataTransfer)) return
      event.preventDefault()
      droppedFiles(event.dataTransfer).then(
        (files) => take.current(files),
        () => {},
      )
    }
    const listeners = { dragenter: enter, dragover: enter, dragleave: leave, drop }
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener as EventListener)
    }
  }, [])
  return isOver
}
