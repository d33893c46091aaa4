import { type Deadline, deadlineIn } from "../deadline.ts"

/** Of the time that the request has left, for the work; what is left is for the answer that it ends with. */
const WORK_SHARE = 0.95

/** When an answer ends its work: ANSWER_TIMEOUT_MS from now, or a little before the request must be answered. */
export function answerDeadline(timeoutMs: number, within: Deadline): Deadline {
  return deadlineIn(Math.min(timeoutMs, within.left() * WORK_SHARE), within.signal)
}
