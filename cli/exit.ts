/** Exit status: done, failed, called in a wrong way, ended by Ctrl-C. */
export const EXIT = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const

/** Thrown by a command that has already said what went wrong. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed"
}
