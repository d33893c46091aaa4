import { useEffect, useState } from "preact/hooks"
import { isAborted } from "./api-failure.ts"
import { request, withQuery } from "./call.ts"
import { apiKey, keysGiven } from "./session.ts"

/** What an `img` can show of a picture of the API. */
export interface ShownPicture {
  /** Null until it is there. */
  readonly src: string | null
  readonly failed: boolean
}

/**
 * An address for `img`: the path itself without a key, and with one, since a browser sends none for pictures, that of
 * what was fetched. It is let go when the picture leaves the page. Nothing is loaded of null.
 */
export function usePicture(path: string | null): ShownPicture {
  const [picture, setPicture] = useState<ShownPicture>({ src: null, failed: false })
  const key = apiKey.value
  const given = keysGiven.value
  // A new key may show what the last one could not.
  useEffect(() => {
    if (path === null) return
    if (key === "") {
      setPicture({ src: withQuery(path), failed: false })
      return
    }
    const gone = new AbortController()
    let held: string | null = null
    setPicture({ src: null, failed: false })
    request(path, { signal: gone.signal })
      .then((response) => response.blob())
      .then((blob) => {
        if (gone.signal.aborted) return
        held = URL.createObjectURL(blob)
        setPicture({ src: held, failed: false })
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) setPicture({ src: null, failed: true })
      })
    return () => {
      gone.abort()
      if (held !== null) URL.revokeObjectURL(held)
    }
  }, [path, key, given])
  return picture
}
