import type { Anomaly } from "../../lib/documents/annotations.ts"

/** What is odd about a passage. */
export function Flags({ anomalies }: { readonly anomalies: readonly Anomaly[] }) {
  if (anomalies.length === 0) return null
  return (
    <ul class="flags" aria-label="Flagged">
      {anomalies.map(({ kind, note }) => (
        <li key={`${kind} ${note}`}>
          <strong class="chip chip-warn">{kindInWords(kind)}</strong> <span>{note}</span>
        </li>
      ))}
    </ul>
  )
}

/** `date-conflict` as people write it. */
export function kindInWords(kind: string): string {
  const words = kind.replace(/[-_]+/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
