import { useTitle } from "../parts/use-title.ts"

export function ReaderView() {
  useTitle("Reader")
  return <h1>Reader</h1>
}
