import { describe, expect, test } from "vitest"
import type { AnswerCitation, AnswerResponse } from "../../lib/answers/response.ts"
import type { ApiFailure } from "../api/api-failure.ts"
import { type AnswerView, ASKED, type ViewEvent, viewAfter } from "./answer-view.ts"

const heardAll = (...events: ViewEvent[]): AnswerView => events.reduce(viewAfter, ASKED)
const started = (node: string): ViewEvent => ({ type: "step", node, status: "started" })
const ended = (node: string, label?: string): ViewEvent => ({
  ...{ type: "step", node, status: "ended" },
  step: { node, ms: 5, ...(label !== undefined && { label }) },
})
const token = (text: string): ViewEvent => ({ type: "token", text })
const cited: ViewEvent = { type: "citation", citation: { citation: "[[a#c0001]]" } as AnswerCitation }
const answer = { answer: "Noon.", sentences: [], citations: [] } as unknown as AnswerResponse

describe("what a stream makes of a view", () => {
  test("tokens add up and passages are kept in the order in which they are cited", () => {
    const view = heardAll(started("generator"), token("The tide"), token(" turns"), cited)
    expect(view).toMatchObject({ phase: "asking", draft: "The tide turns", cited: [{ citation: "[[a#c0001]]" }] })
  })

  test.each(["retrieve", "generator"])("a started %s begins the text anew, and no other step does", (node) => {
    const written = [started("generator"), token("Wrong."), cited, ended("generator")]
    expect(heardAll(...written, started("support_grader"), ended("support_grader"))).toMatchObject({ draft: "Wrong." })
    expect(heardAll(...written, started(node))).toMatchObject({ draft: "", cited: [] })
  })

  test("a generator that starts again within its step is one step, and ends as one", () => {
    const view = heardAll(started("generator"), token("Half"), started("generator"), token("Whole"), ended("generator"))
    expect(view.steps).toHaveLength(1)
    expect(view).toMatchObject({ draft: "Whole", steps: [{ ended: { node: "generator" } }] })
  })

  test("of two rounds each step keeps its own end", () => {
    const round = (label: string) => [started("retrieve"), ended("retrieve", label)]
    expect(heardAll(...round("4 new"), ...round("2 new")).steps.map(({ ended }) => ended?.label)).toEqual([
      "4 new",
      "2 new",
    ])
  })

  test("an event of a newer server changes nothing", () => {
    expect(heardAll(token("a"), { type: "thought" } as never)).toEqual(heardAll(token("a")))
  })
})

describe("how it ends", () => {
  test("done keeps the steps that were seen; an answer in one piece brings them in explain", () => {
    const explain = [{ node: "retrieve", ms: 3 }]
    const streamed = heardAll(started("retrieve"), ended("retrieve", "4 new"), {
      type: "done",
      answer: { ...answer, explain },
    })
    expect(streamed).toMatchObject({ phase: "done", steps: [{ ended: { label: "4 new" } }] })
    expect(heardAll({ type: "done", answer: { ...answer, explain } }).steps).toEqual([
      { node: "retrieve", ended: explain[0] },
    ])
  })

  test.each([
    ["stopped", { type: "stopped" }],
    ["failed", { type: "failed", failure: { code: "internal" } as ApiFailure }],
  ] as const)("what was written stays when it is %s, and what comes late changes nothing", (phase, event) => {
    const view = heardAll(started("generator"), token("Half of"), event, token(" it"), { type: "done", answer })
    expect(view).toMatchObject({ phase, draft: "Half of", answer: null })
  })
})
