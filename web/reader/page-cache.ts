/** What was loaded of a document's pages, the latest of it. */
export interface PageCache<Page> {
  readonly get: (number: number) => Promise<Page>
  /** What is there already. */
  readonly peek: (number: number) => Page | undefined
}

/** Pages kept: about 10 KB each. */
const PAGES_MAX = 60

/** Loads each page once, keeps the latest, and forgets what failed. */
export function createPageCache<Page>(load: (number: number) => Promise<Page>): PageCache<Page> {
  const asked = new Map<number, Promise<Page>>()
  const there = new Map<number, Page>()
  return {
    peek: (number) => there.get(number),
    get(number) {
      const known = asked.get(number)
      if (known) return known
      const page = load(number).then(
        (page) => {
          there.set(number, page)
          return page
        },
        (error: unknown) => {
          asked.delete(number)
          throw error
        },
      )
      asked.set(number, page)
      for (const oldest of asked.keys()) {
        if (asked.size <= PAGES_MAX) break
        asked.delete(oldest)
        there.delete(oldest)
      }
      return page
    },
  }
}
