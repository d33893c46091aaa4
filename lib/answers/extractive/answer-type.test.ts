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
    ["How deep is the large pond?", "length"],
    ["A que distância se vê o farol?", "length"],
    ["How much does the lens of the lighthouse weigh?", "weight"],
    ["Quanto pesa o sino da igreja?", "weight"],
    ["How fast was the repair ship?", "speed"],
    ["Above what wind speed is there no work in the nacelle?", "speed"],
    ["What was the highest temperature of 1963?", "temperature"],
    ["At how many degrees is it baked?", "temperature"],
    ["De que cor é a porta do farol?", "colour"],
    ["How many messages did it handle at its height?", "number"],
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
    ["The pond is let in at spring tide, twice a month.", "length", false],
    ["Rope | 8 | 24", "length", true],
    ["The pond is 40 cm deep.", "length", true],
    ["It was turned by a weight every four hours.", "weight", false],
    ["O sino pesa 300 quilos.", "weight", true],
    ["Should be on the ground on the 15th.", "speed", false],
    ["She makes nine knots.", "speed", true],
    ["Bake one hour and a half.", "temperature", false],
    ["Bake at 180 degrees.", "temperature", true],
    ["She is self-righting.", "colour", false],
    ["A porta é verde.", "colour", true],
    ["Launched under the coxswain Inácio Brum.", "person", true],
    ["The broth is boiled the next day.", "person", false],
  ] as const)("%s: %s", (sentence, type, holds) => {
    expect(holdsType(sentence, type)).toBe(holds)
  })
})
