import type { ComponentType } from "preact"
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso"
import { KeyDialog } from "./frame/key-dialog.tsx"
import { Masthead } from "./frame/masthead.tsx"
import { NotFoundView } from "./frame/not-found-view.tsx"
import { announceRoute } from "./frame/route-announcer.ts"
import { UnloadedView } from "./frame/unloaded-view.tsx"
import { SearchView } from "./search/search-view.tsx"

const AskView = viewOf(() => import("./ask/ask-view.tsx").then(({ AskView }) => AskView))
const LibraryView = viewOf(() => import("./library/library-view.tsx").then(({ LibraryView }) => LibraryView))
const ReaderView = viewOf(() => import("./reader/reader-view.tsx").then(({ ReaderView }) => ReaderView))
const StatusView = viewOf(() => import("./status/status-view.tsx").then(({ StatusView }) => StatusView))

/** A view that is loaded when it is first opened. */
function viewOf(load: () => Promise<ComponentType>) {
  return lazy(() => load().catch(() => UnloadedView))
}

/** What the reading room itself answers; every other link leaves it. */
const OWN_PATHS = /^\/(?:$|[?#]|(?:ask|library|status)(?:[/?#]|$)|d\/)/

/** The whole page: masthead, the view that the address names, and the dialog that asks for a key where one is needed. */
export function App() {
  return (
    <LocationProvider scope={OWN_PATHS}>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Masthead />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary>
          <Views />
        </ErrorBoundary>
      </main>
      <KeyDialog />
    </LocationProvider>
  )
}

/** The view that the address names. A stray `%` in it names nothing, and would end the router. */
function Views() {
  const { path } = useLocation()
  if (!canBeDecoded(path)) return <NotFoundView />
  return (
    <Router onRouteChange={announceRoute}>
      <Route path="/" component={SearchView} />
      <Route path="/ask" component={AskView} />
      <Route path="/library" component={LibraryView} />
      <Route path="/status" component={StatusView} />
      <Route path="/d/:document/:page?" component={ReaderView} />
      <Route default component={NotFoundView} />
    </Router>
  )
}

function canBeDecoded(path: string): boolean {
  try {
    // Its result is asked for: the minifier takes a call without one away.
    return decodeURIComponent(path) !== ""
  } catch {
    return false
  }
}
