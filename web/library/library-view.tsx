import { useTitle } from "../parts/use-title.ts"

export function LibraryView() {
  useTitle("Library")
  return <h1>Library</h1>
}
