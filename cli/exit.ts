/** Exit status: done, failed, called in a wrong way, refused an answer (`client`) or a gain that may be chance (`tune`), ended by Ctrl-C. */
export const EXIT = { ok: 0, failure: 1, usage: 2, refused: 3, interrupted: 130 } as const

/** Thrown by a command that has already said what went wrong. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed"

  readonly status: (typeof EXIT)[keyof typeof EXIT]

  constructor(status: CommandFailed["status"] = EXIT.failure) {
    super()
    this.status = status
  }
}
