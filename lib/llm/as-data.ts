/**
 * A value as JSON for a prompt, in which no text of it can leave its place: quotes and line breaks are JSON's escapes, and
 * so are the `<` and `[` with which chat templates open their control tokens (`<|im_start|>`, `<start_of_turn>`,
 * `[INST]`), which a server may read as such wherever they stand. Parsed, it is the same value.
 */
export function asData(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replace(/\[(?=\/?[A-Z_]+\])/g, "\\u005b")
}
