import { useState } from "preact/hooks"
import { keep } from "../api/kept.ts"

const THEME = "concordance-theme"
const NEXT = { system: "light", light: "dark", dark: "system" } as const
type Theme = keyof typeof NEXT

/** System, light, dark, in turn; kept for the next visit. */
export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>((document.documentElement.dataset["theme"] as Theme) ?? "system")
  const turn = () => {
    const next = NEXT[theme]
    if (next === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = next
    keep("localStorage", THEME, next)
    setTheme(next)
  }
  return (
    <button type="button" class="button-quiet" onClick={turn} aria-label={`Theme: ${theme}. Change it`}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        {theme === "system" && <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />}
        {theme === "dark" && <circle cx="10" cy="10" r="7.25" fill="currentColor" />}
      </svg>
    </button>
  )
}
