import type { CountUsage } from "../count-usage.ts"
import type { PagePictures } from "../documents/page-pictures.ts"
import type { InPlace } from "../limits/tenant-places.ts"
import type { Retrieve } from "../search/retrieve.ts"
import type { Search } from "../search/search.ts"
import type { Answers } from "./open-answers.ts"

/** What stands around them. */
export interface Served {
  readonly count: CountUsage
  /** Absent: as many at once as come. */
  readonly inPlace?: InPlace | undefined
}

interface Callable {
  readonly search: Search
  readonly retrieve: Retrieve
  readonly answers: Answers
  readonly pagePictures: PagePictures
}

/** All of it as callers get it. */
export function servedCalls({ search, retrieve, answers, pagePictures }: Callable, served: Served): Callable {
  return {
    search: servedSearch(search, served),
    retrieve: servedSearch(retrieve, served),
    answers: servedAnswers(answers, served),
    pagePictures: servedPictures(pagePictures, served.count),
  }
}

const atOnce: InPlace = (_tenant, _deadline, work) => work()

/** Searches as callers ask them: each in a place of its tenant's, and counted. What an answer searches by itself is part of it. */
export function servedSearch<Request>(
  search: (tenant: string, request: Request, ...rest: SearchRest) => ReturnType<Search>,
  { count, inPlace = atOnce }: Served,
): typeof search {
  return async (tenant, request, deadline) => {
    const found = await inPlace(tenant, deadline, () => search(tenant, request, deadline))
    await count(tenant, { searches: 1 })
    return found
  }
}
type SearchRest = [deadline: Parameters<Search>[2]]

/** Answers as callers ask them, in a place each and counted. */
export function servedAnswers(answers: Answers, { count, inPlace = atOnce }: Served): Answers {
  const counted =
    <Request>(answer: AnswerOf<Request>): AnswerOf<Request> =>
    async (tenant, request, deadline, onEvent) => {
      const response = await inPlace(tenant, deadline, () => answer(tenant, request, deadline, onEvent))
      await count(tenant, { answers: 1 })
      return response
    }
  return { ...answers, answer: counted(answers.answer), chat: counted(answers.chat) }
}
type AnswerOf<Request> = (
  tenant: string,
  request: Request,
  ...rest: Parameters<Answers["answer"]> extends [unknown, unknown, ...infer Rest] ? Rest : never
) => ReturnType<Answers["answer"]>

/** Pictures, whose drawn parts are counted; one that the caller has already is not drawn. */
export function servedPictures<Pictures extends Pick<PagePictures, "part">>(
  pictures: Pictures,
  count: CountUsage,
): Pictures {
  return {
    ...pictures,
    async part(tenant, ...asked) {
      const picture = await pictures.part(tenant, ...asked)
      return {
        ...picture,
        async read() {
          const drawn = await picture.read()
          await count(tenant, { crops: 1 })
          return drawn
        },
      }
    },
  }
}
