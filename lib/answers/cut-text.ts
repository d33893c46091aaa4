/** A text's first `chars` UTF-16 units at the most, with `…` where it is longer; never half a surrogate pair. */
export function cutText(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, Math.max(0, chars)).replace(/[\uD800-\uDBFF]$/, "")}…` : text
}
