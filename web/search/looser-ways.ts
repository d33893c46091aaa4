import { filterCount, type SearchAddress, withoutFilters } from "./search-address.ts"
import { similarWord } from "./similar-word.ts"

/** Another search that finds more, and what it lets go. */
export interface LooserWay {
  readonly says: string
  readonly address: SearchAddress
}

const QUOTED = /"([^"]*)"/g
const EXCLUDED = /(^|\s)-(?:"[^"]*"|[^\s"]+)/g

/** What may be let go of a search that found nothing, the likeliest first. `known` are words of the collection. */
export function looserWays(address: SearchAddress, known: ReadonlySet<string>): readonly LooserWay[] {
  const { question } = address
  const ways: LooserWay[] = []
  const count = filterCount(address)
  if (count > 0) {
    const says =
      count === 1 ? "Search everything, without the filter" : `Search everything, without the ${count} filters`
    ways.push({ says, address: withoutFilters(address) })
  }
  const excluded = tidy(question.replace(EXCLUDED, "$1"))
  if (excluded !== question && excluded !== "") {
    ways.push({ says: `Leave nothing out: ${excluded}`, address: { ...address, question: excluded } })
  }
  const unquoted = tidy(excluded.replace(QUOTED, "$1"))
  if (unquoted !== excluded && unquoted !== "") {
    ways.push({
      says: `The words anywhere, not side by side: ${unquoted}`,
      address: { ...address, question: unquoted },
    })
  }
  const spelt = respelt(question, known)
  if (spelt !== question) ways.push({ says: `Spelt otherwise: ${spelt}`, address: { ...address, question: spelt } })
  if (address.ranking === "words" || address.ranking === "second-look") {
    ways.push({ says: "By what it means, not only by its words", address: { ...address, ranking: "meaning" } })
  }
  return ways
}

/** The question with the words that the collection doesn't know put as it spells them. */
function respelt(question: string, known: ReadonlySet<string>): string {
  return question.replaceAll(/[\p{L}\p{M}]{4,}/gu, (word) => similarWord(word, known) ?? word)
}

const tidy = (text: string) => text.replaceAll(/\s+/g, " ").trim()
