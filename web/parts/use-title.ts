import { useEffect } from "preact/hooks"

/** Names the tab, the bookmark and, to who listens, the view. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Concordance" : `${title} · Concordance`
  }, [title])
}
