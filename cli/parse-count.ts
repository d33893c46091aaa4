import { InvalidArgumentError } from "commander"

/** A whole number of at least 1, of an option. */
export function parseCount(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("A whole number of at least 1.")
  return number
}
