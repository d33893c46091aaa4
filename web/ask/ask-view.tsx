import { useTitle } from "../parts/use-title.ts"

export function AskView() {
  useTitle("Ask")
  return <h1>Ask</h1>
}
