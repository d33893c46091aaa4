import { expect, test } from "vitest"
import { namedOtherwise, nameSpans } from "./name-spans.ts"

const person = (name: string, surface?: string) => ({ kind: "person", name, ...(surface !== undefined && { surface }) })

test("the first mention of each is a piece of its own, as the text has it", () => {
  const brites = person("Leonor Brites", "Brites")
  expect(nameSpans("Brites wrote; Brites signed.", [brites])).toEqual([
    { text: "Brites", entity: brites },
    { text: " wrote; Brites signed." },
  ])
})

test("the longer name wins, and a name inside a word is none", () => {
  const [port, town] = [person("Porto Novo"), person("Porto")]
  expect(nameSpans("Portos, Porto Novo, Porto", [town, port])).toEqual([
    { text: "Portos, " },
    { text: "Porto Novo", entity: port },
    { text: ", " },
    { text: "Porto", entity: town },
  ])
})

test("all pieces together are the text, also where nobody is found", () => {
  expect(nameSpans("Nobody.", [person("Vaz")])).toEqual([{ text: "Nobody." }])
  expect(namedOtherwise(["Nobody.", "Vaz came."], [person("Vaz"), person("Mota")])).toEqual([person("Mota")])
})
