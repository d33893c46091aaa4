import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso"

/** What stands behind the `#` of the address, decoded; "" without one. */
export function useHash(): string {
  const { url } = useLocation()
  const [hash, setHash] = useState(read)
  // A link to another page may bring another hash.
  useEffect(() => {
    const listen = () => setHash(read())
    listen()
    addEventListener("hashchange", listen)
    return () => removeEventListener("hashchange", listen)
  }, [url])
  return hash
}

function read(): string {
  const hash = location.hash.slice(1)
  try {
    return decodeURIComponent(hash)
  } catch {
    return hash
  }
}
