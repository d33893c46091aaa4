import { useEffect, useRef, useState } from "preact/hooks"
import { isAborted } from "../api/api-failure.ts"
import { request } from "../api/call.ts"
import { keysGiven } from "../api/session.ts"
import { useReaderRoom } from "./reader-room.ts"

interface PageCanvasProps {
  /** Path in the API. */
  readonly path: string
  readonly alt: string
}

/**
 * The picture of a page, drawn. Browsers keep what `img` decoded after it is gone, up to 512 MB in Chromium: a book of 350 pages
 * took 660 MB once it was scrolled through, and so it takes what the pages in sight do.
 */
export function PageCanvas({ path, alt }: PageCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading")
  const { retries } = useReaderRoom()
  const asked = retries.value
  const given = keysGiven.value
  const width = useDeviceWidth(canvas)
  useEffect(() => {
    if (!canvas.current || width === 0) return
    const context = canvas.current.getContext("bitmaprenderer")
    const gone = new AbortController()
    setState((state) => (state === "failed" ? "loading" : state))
    draw(path, width, gone.signal)
      .then((bitmap) => {
        if (gone.signal.aborted) bitmap.close()
        else context?.transferFromImageBitmap(bitmap)
        if (!gone.signal.aborted) setState("shown")
      })
      .catch((error: unknown) => {
        if (!isAborted(error) && !gone.signal.aborted) setState("failed")
      })
    return () => gone.abort()
  }, [path, width, given, asked])
  // What was drawn is let go with the page, not when the collector comes to it.
  useEffect(() => {
    const context = canvas.current?.getContext("bitmaprenderer")
    return () => context?.transferFromImageBitmap(null)
  }, [])
  return (
    <div class="picture" data-state={state}>
      <canvas ref={canvas} role="img" aria-label={alt} />
      {state === "failed" && (
        <span class="picture-failed">
          Picture can't be shown
          <button type="button" class="button-quiet" onClick={() => (retries.value += 1)}>
            Try again
          </button>
        </span>
      )}
    </div>
  )
}

/** A picture that is wider is made this wide, in the best quality: text must be read. */
async function draw(path: string, width: number, signal: AbortSignal): Promise<ImageBitmap> {
  const blob = await (await request(path, { signal })).blob()
  const whole = await createImageBitmap(blob)
  if (whole.width <= width) return whole
  const height = Math.round((whole.height * width) / whole.width)
  const sized = await createImageBitmap(whole, { resizeWidth: width, resizeHeight: height, resizeQuality: "high" })
  whole.close()
  return sized
}

/** Steps in which a picture is drawn anew as its frame changes, px: a window that is being dragged isn't drawn at each. */
const STEP_PX = 64

/** How wide an element is in pixels of the screen, rounded up to a step; 0 while it isn't shown. */
function useDeviceWidth(canvas: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!canvas.current) return
    const sizes = new ResizeObserver(([entry]) => {
      const pixels = (entry?.contentRect.width ?? 0) * devicePixelRatio
      setWidth(Math.ceil(pixels / STEP_PX) * STEP_PX)
    })
    sizes.observe(canvas.current)
    return () => sizes.disconnect()
  }, [])
  return width
}
