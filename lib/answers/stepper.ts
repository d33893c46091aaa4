import { stage } from "../activity.ts"
import type { OnAnswerEvent } from "./answer.ts"
import type { AnswerStep } from "./response.ts"

/** What is known of a step when it has ended. */
interface StepResult {
  readonly label?: string | undefined
  readonly inputs?: Readonly<Record<string, number>> | undefined
  readonly tokens?: number | undefined
}

/** Keeps the steps of an answer and tells of them. */
export interface Stepper {
  /** In the order in which they ended. */
  readonly steps: readonly AnswerStep[]
  run<T>(node: string, work: () => Promise<T>, resultOf: (value: T) => StepResult): Promise<T>
}

/** One answer's steps, timed in ms with one decimal. */
export function createStepper(onEvent?: OnAnswerEvent): Stepper {
  const steps: AnswerStep[] = []
  return {
    steps,
    async run(node, work, resultOf) {
      onEvent?.({ type: "step", node, status: "started" })
      const began = performance.now()
      const value = await stage(node, work)
      const { label, inputs, tokens } = resultOf(value)
      const step: AnswerStep = {
        node,
        ...(label !== undefined && { label }),
        ms: Math.round((performance.now() - began) * 10) / 10,
        ...(inputs && { inputs: { ...inputs } }),
        ...(tokens !== undefined && { tokens }),
      }
      steps.push(step)
      onEvent?.({ type: "step", node, status: "ended", step })
      return value
    },
  }
}
