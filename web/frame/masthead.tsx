import { useLocation } from "preact-iso"
import { apiKey, keyWanted } from "../api/session.ts"
import { ThemeButton } from "./theme-button.tsx"

const VIEWS = [
  ["/", "Search"],
  ["/ask", "Ask"],
  ["/library", "Library"],
  ["/status", "Status"],
] as const

/** The name, the four views, key and theme. */
export function Masthead() {
  const { path } = useLocation()
  return (
    <header class="masthead">
      <a class="wordmark" href="/">
        <img src="/mark.svg" alt="" width="28" height="28" />
        <span>Concordance</span>
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([href, name]) => (
          <a key={href} href={href} aria-current={isAt(path, href) ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="masthead-tools">
        {apiKey.value !== "" && (
          <button type="button" class="button-quiet" onClick={() => (keyWanted.value = "asked")}>
            Key
          </button>
        )}
        <ThemeButton />
      </div>
    </header>
  )
}

const isAt = (path: string, href: string) => path === href || (href !== "/" && path.startsWith(`${href}/`))
