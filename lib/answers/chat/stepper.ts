import type { OnAnswerEvent } from "../answer.ts"
import type { AnswerStep } from "../response.ts"

/** What is known of a step when it has ended. */
export type StepResult = Pick<AnswerStep, "label" | "inputs" | "tokens">

/** Keeps the steps of an answer and tells of them. */
export interface Stepper {
  readonly steps: readonly AnswerStep[]
  run<T>(node: string, work: () => Promise<T>, resultOf: (value: T) => StepResult): Promise<T>
}

/** One answer's steps, in the order in which they ended. */
export function createStepper(onEvent?: OnAnswerEvent): Stepper {
  const steps: AnswerStep[] = []
  return {
    steps,
    async run(node, work, resultOf) {
      onEvent?.({ type: "step", node, status: "started" })
      const began = performance.now()
      const value = await work()
      const step = { node, ms: Math.round((performance.now() - began) * 10) / 10, ...resultOf(value) }
      steps.push(step)
      onEvent?.({ type: "step", node, status: "ended", step })
      return value
    },
  }
}
