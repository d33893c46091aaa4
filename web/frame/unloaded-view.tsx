import { unreachable } from "../api/api-failure.ts"
import { Failure } from "../parts/states.tsx"
import { useTitle } from "../parts/use-title.ts"

/** In place of a view whose files couldn't be had. They may have been replaced since, so that a retry takes the page anew. */
export function UnloadedView() {
  useTitle("Not loaded")
  return (
    <>
      <h1 class="visually-hidden">This page could not be loaded</h1>
      <Failure failure={unreachable()} retry={() => void reloadWhenThere()} />
    </>
  )
}

/** Not before the server answers: else the browser's own words of it would take the page's place. */
async function reloadWhenThere(): Promise<void> {
  const answer = await fetch("/", { cache: "no-store" }).catch(() => null)
  if (answer?.ok) location.reload()
}
