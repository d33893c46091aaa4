import { type Choice, SHOWN, type Shown } from "./choose-documents.ts"

const NAMES: Readonly<Record<Shown, string>> = { all: "All", reading: "Being read", failed: "Failed" }

interface CatalogueBarProps {
  readonly choice: Choice
  readonly onChoose: (choice: Choice) => void
}

/** Narrows the list while it is typed. */
export function CatalogueBar({ choice, onChoose }: CatalogueBarProps) {
  return (
    <div class="catalogue-bar">
      <label class="catalogue-filter">
        <span class="visually-hidden">Filter by title, id or language</span>
        <input
          type="search"
          placeholder="Filter by title, id or language"
          value={choice.text}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onChoose({ ...choice, text: event.currentTarget.value })}
        />
      </label>
      <fieldset class="catalogue-shown">
        <legend class="visually-hidden">Show</legend>
        {SHOWN.map((shown) => (
          <label key={shown}>
            <input
              type="radio"
              name="shown"
              class="visually-hidden"
              checked={choice.shown === shown}
              onChange={() => onChoose({ ...choice, shown })}
            />
            <span>{NAMES[shown]}</span>
          </label>
        ))}
      </fieldset>
    </div>
  )
}
