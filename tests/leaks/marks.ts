/** What each name, id and text of the other tenant's own holds, and nothing else in the world does. */
export const MARK = "zyrq"
/** In the same place it makes a name that nobody has, of the same length. */
const NOBODYS = "nilq"
/** The bundle's id can't be chosen. */
const BUNDLE = /andorinha/gi

const MARKER = /zyrq|andorinha|inquiry/i

/** The same text as it is asked for what nobody has. */
export function nobodys(text: string): string {
  return text
    .replaceAll(MARK, NOBODYS)
    .replaceAll(MARK.toUpperCase(), NOBODYS.toUpperCase())
    .replace(BUNDLE, (found) => `${found.slice(0, -1)}e`)
}

/** The first marker in `text` that stands in nothing of `sent`, in a few forms in which text travels; null without one. */
export function markerIn(text: string, sent: readonly string[]): string | null {
  const own = [...new Set(sent.flatMap(formsOf))]
    .filter((form) => MARKER.test(form))
    .sort((a, b) => b.length - a.length)
  for (const form of [text, ...decodedRuns(text)]) {
    let rest = form
    for (const known of own) rest = rest.replaceAll(known, "")
    const found = MARKER.exec(rest)
    if (found) return rest.slice(Math.max(0, found.index - 60), found.index + 60)
  }
  return null
}

function formsOf(text: string): string[] {
  const forms = [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]
  try {
    forms.push(decodeURIComponent(text), decodeURIComponent(decodeURIComponent(text)))
  } catch {
    // A form that isn't one of this text.
  }
  return forms.flatMap((form) => [form, form.toLowerCase(), form.normalize("NFC"), form.normalize("NFD")])
}

/** Cursors and pictures are base64: what stands in them counts. */
function decodedRuns(text: string): string[] {
  return [...text.matchAll(/[A-Za-z0-9_+/-]{16,20000}/g)].map(([run]) => Buffer.from(run, "base64").toString("latin1"))
}
