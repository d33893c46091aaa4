import { useTitle } from "../parts/use-title.ts"

export function StatusView() {
  useTitle("Status")
  return <h1>Status</h1>
}
