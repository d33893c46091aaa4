import { useEffect, useRef, useState } from "preact/hooks"
import { usePicture } from "../api/use-picture.ts"

interface PictureProps {
  /** Path in the API; null: there is none, and a sheet of paper stands for it. */
  readonly path: string | null
  readonly alt: string
  readonly class?: string
}

/** How far outside the window a picture begins to load, px. */
const NEAR_PX = 600

/** A picture of the API, loaded once it comes near the window. */
export function Picture({ path, alt, class: className = "" }: PictureProps) {
  const frame = useRef<HTMLDivElement>(null)
  const near = useIsNear(frame)
  const { src, failed } = usePicture(near ? path : null)
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading")
  const isFailed = failed || state === "failed"
  return (
    <div ref={frame} class={`picture ${className}`} data-state={isFailed ? "failed" : state}>
      {src !== null && !isFailed && (
        <img src={src} alt={alt} decoding="async" onLoad={() => setState("shown")} onError={() => setState("failed")} />
      )}
      {isFailed && <span class="picture-failed">Picture can't be shown</span>}
    </div>
  )
}

function useIsNear(frame: { readonly current: HTMLElement | null }): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (!frame.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) {
          setNear(true)
          observer.disconnect()
        }
      },
      { rootMargin: `${NEAR_PX}px` },
    )
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [frame])
  return near
}
