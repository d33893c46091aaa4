import { useTitle } from "../parts/use-title.ts"

export function SearchView() {
  useTitle("Search")
  return <h1>Search</h1>
}
