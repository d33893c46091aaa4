import type { AnswerResponse } from "../../lib/answers/response.ts"
import { countOf } from "../parts/format.ts"
import type { AnswerView, ShownStep } from "./answer-view.ts"
import { stepsMs, stepWords, summaryOf, timeWords } from "./step-words.ts"

interface StepsProps {
  readonly view: AnswerView
  readonly stop: () => void
}

/** The steps as they happen; once the answer is there one line, and behind it what each took. */
export function Steps({ view, stop }: StepsProps) {
  const { steps, phase, answer } = view
  if (answer) return <Account steps={steps} answer={answer} />
  return (
    <div class="steps">
      <ol class="steps-list">
        {steps.length === 0 && phase === "asking" && <Line text="Asking…" state="on" />}
        {steps.map((step, index) => {
          const words = stepWords(step)
          if (words === null) return null
          const state = step.ended ? "over" : phase === "asking" ? "on" : "broken"
          return (
            <Line
              key={index}
              text={state === "broken" ? `${words.replace("…", "")}: not finished` : words}
              state={state}
            />
          )
        })}
      </ol>
      {phase === "asking" && (
        <button type="button" class="button steps-stop" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  )
}

function Line({ text, state }: { readonly text: string; readonly state: "on" | "over" | "broken" }) {
  return (
    <li class="step" data-state={state}>
      {text}
    </li>
  )
}

function Account({ steps, answer }: { readonly steps: readonly ShownStep[]; readonly answer: AnswerResponse }) {
  return (
    <details class="account">
      <summary>
        {summaryOf(steps, answer)} <span class="account-time">· {timeWords(stepsMs(steps))}</span>
      </summary>
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Tokens</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => {
            const words = stepWords(step)
            return (
              words && (
                <tr key={index}>
                  <td>{words}</td>
                  <td class="account-number">
                    {step.ended?.tokens !== undefined && countOf(step.ended.tokens, "token")}
                  </td>
                  <td class="account-number">{timeWords(step.ended?.ms ?? 0)}</td>
                </tr>
              )
            )
          })}
        </tbody>
      </table>
      <Usage answer={answer} />
    </details>
  )
}

function Usage({ answer: { generator, usage } }: { readonly answer: AnswerResponse }) {
  if (generator === "extractive") return <p class="account-fine">No language model was asked.</p>
  return (
    <p class="account-fine">
      {generator}: {countOf(usage.calls, "call")}, {countOf(usage.prompt_tokens, "token")} read
      {usage.cached_tokens > 0 && ` (${usage.cached_tokens.toLocaleString("en")} from its cache)`},{" "}
      {usage.completion_tokens.toLocaleString("en")} written{usage.estimated && ", estimated"}.
    </p>
  )
}
