import { randomFrom } from "../lib/random.ts"

/** Common words, one token each in most vocabularies. */
const WORDS = (
  "the river carries fine sand past old stone mills and under seven bridges before it meets the sea where fishing boats " +
  "wait for morning light while gulls circle above wet roofs of a small town whose people remember every flood by name " +
  "because their houses bear marks cut into walls at heights no visitor would believe without seeing them close by when " +
  "autumn rain turns fields into lakes and children walk to school along planks laid from door to door"
).split(" ")

/**
 * `count` texts of 5 to 250 words in a fixed pseudo-random order, short ones more often, as in a corpus cut at
 * paragraphs: the mean is about 87. The same texts on every machine.
 */
export function mixedTexts(count: number): string[] {
  const random = randomFrom(20_240_229)
  return Array.from({ length: count }, () => {
    const words = Math.round(5 + 240 * random() ** 2)
    return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ")
  })
}
