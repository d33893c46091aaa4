import { describe, expect, test } from "vitest"
import { askedFor, holdsType } from "./answer-type.ts"

describe("what a question asks for", () => {
  test.each([
    ["What does it cost to take a car?", "money"],
    ["Quanto custou o motor?", "money"],
    ["When did the strongest gust blow?", "time"],
    ["Em que ano saiu o último faroleiro?", "time"],
    ["A que horas abre a biblioteca?", "time"],
    ["How many steps are there?", "number"],
    ["Quantos degraus tem o farol?", "number"],
    ["Who rescued the crew?", "person"],
    ["Quem tinha a chave?", "person"],
    ["Why did the engine stop?", null],
    ["Porque parou o motor?", null],
  ])("%s", (question, type) => {
    expect(askedFor(question)).toBe(type)
  })
})

describe("whether a sentence has such a thing", () => {
  test.each([
    ["A car is 68 euros.", "money", true],
    ["It rained on 171 days.", "money", false],
    ["Children pay nothing.", "money", true],
    ["The last keeper left in 1988.", "time", true],
    ["The lens was turned by a weight.", "time", false],
    ["Fourteen planks were replaced.", "number", true],
    ["The frames were found sound.", "number", false],
    ["Launched under the coxswain Inácio Brum.", "person", true],
    ["The broth is boiled the next day.", "person", false],
  ] as const)("%s: %s", (sentence, type, holds) => {
    expect(holdsType(sentence, type)).toBe(holds)
  })
})
