import { RANKING_IDS, RANKINGS } from "./rankings.ts"
import type { SearchAddress } from "./search-address.ts"

interface ViewOptionsProps {
  readonly address: SearchAddress
  readonly change: (address: SearchAddress) => void
}

/** How the results are put: whole documents or passages, and ranked by what. */
export function ViewOptions({ address, change }: ViewOptionsProps) {
  return (
    <div class="view-options">
      <fieldset class="segments">
        <legend class="visually-hidden">Show</legend>
        <UnitChoice unit="document" name="Documents" address={address} change={change} />
        <UnitChoice unit="passage" name="Passages" address={address} change={change} />
      </fieldset>
      {address.compared.length === 0 && (
        <label class="view-ranking">
          <span>Ranked by</span>
          <select
            value={address.ranking}
            onChange={(event) => {
              const ranking = RANKING_IDS.find((id) => id === event.currentTarget.value)
              if (ranking) change({ ...address, ranking })
            }}
          >
            {RANKING_IDS.map((id) => (
              <option key={id} value={id}>
                {RANKINGS[id].name}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

function UnitChoice({
  unit,
  name,
  address,
  change,
}: ViewOptionsProps & { readonly unit: SearchAddress["unit"]; readonly name: string }) {
  return (
    <label>
      <input type="radio" name="unit" checked={address.unit === unit} onChange={() => change({ ...address, unit })} />
      <span>{name}</span>
    </label>
  )
}
