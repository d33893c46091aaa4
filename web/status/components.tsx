import type { HealthReport } from "../../lib/health.ts"
import { formatMs } from "./timing-figures.ts"

type Components = NonNullable<HealthReport["components"]>
type Component = Components["database"]

const NAMES: Readonly<Record<keyof Components, readonly [name: string, what: string, without: string]>> = {
  database: ["Database", "Holds the documents and ranks passages", "No database: the models alone are served"],
  embedder: ["Model for meaning", "Turns questions and passages into vectors", "No model: search goes by words alone"],
  reranker: ["Model for order", "Reads the best hits again and reorders them", "No model: the first order stands"],
  index: ["External index", "Is searched in place of the database", ""],
  tenant_models: ["Models of some tenants", "Can't be opened here: their searches go by words alone", ""],
}

const CHIPS = {
  ok: ["chip chip-good", "Answers"],
  unhealthy: ["chip chip-bad", "Doesn't answer"],
  absent: ["chip", "Not set up"],
} as const

/** The parts of the service: what each is, and whether it answers. */
export function ComponentList({ components }: { readonly components: Components }) {
  const parts = (Object.keys(NAMES) as (keyof Components)[]).flatMap((part) => {
    const component = components[part]
    return component ? [{ part, component }] : []
  })
  return (
    <ul class="components">
      {parts.map(({ part, component }) => (
        <Part key={part} part={part} component={component} />
      ))}
    </ul>
  )
}

function Part({ part, component }: { readonly part: keyof Components; readonly component: Component }) {
  const [name, what, without] = NAMES[part]
  const [chip, word] = CHIPS[component.status]
  return (
    <li class="component">
      <h3>{name}</h3>
      <p class="component-name">{component.name ?? "\u00a0"}</p>
      <p class="component-what">{component.status === "absent" ? without : what}</p>
      <p class="component-state">
        <span class={chip}>{word}</span>
        {component.status === "ok" && component.ms !== undefined && <span>in {formatMs(component.ms)}</span>}
      </p>
    </li>
  )
}

/** The state of the whole: in a word, and in a sentence. */
export function verdict({ status, components }: HealthReport): readonly ["ok" | "partial" | "unhealthy", string] {
  if (status === "unhealthy") {
    return components?.index?.status === "unhealthy"
      ? ["unhealthy", "The external index doesn't answer: nothing can be searched."]
      : ["unhealthy", "The database doesn't answer: nothing can be searched or read."]
  }
  if (components?.embedder.status === "unhealthy") {
    return ["partial", "The model doesn't answer: search goes by words alone."]
  }
  if (components?.tenant_models) {
    return ["partial", "A model of some tenants can't be opened: they search by words alone."]
  }
  if (components?.reranker.status === "unhealthy") {
    return ["partial", "Searches are answered; they are not put into a better order."]
  }
  return ["ok", "Everything answers."]
}
