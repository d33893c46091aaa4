interface ChoiceProps<Value extends string> {
  /** Of its radio buttons. */
  readonly name: string
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly choose: (value: Value) => void
}

/** A few ways of which one holds, side by side. */
export function Choice<Value extends string>({ name, label, value, options, choose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice" data-own-arrows>
      <legend class="visually-hidden">{label}</legend>
      {options.map(([option, words]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => choose(option)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
