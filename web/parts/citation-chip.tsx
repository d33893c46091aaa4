import { useEffect, useState } from "preact/hooks"

/** Time that "Copied" stays, ms. */
const SAID_MS = 1_600

/** A citation as it is written, to copy. */
export function CitationChip({ citation }: { readonly citation: string }) {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied: select it by hand">("")
  useEffect(() => {
    if (said === "") return
    const timer = setTimeout(() => setSaid(""), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () => {
    navigator.clipboard.writeText(citation).then(
      () => setSaid("Copied"),
      () => setSaid("Not copied: select it by hand"),
    )
  }
  return (
    <span class="citation">
      <code>{citation}</code>
      <button type="button" class="button-quiet" onClick={copy} aria-label={`Copy the citation ${citation}`}>
        {said || "Copy"}
      </button>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </span>
  )
}
