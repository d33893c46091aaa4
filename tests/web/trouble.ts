import type { Page } from "playwright-core"

/** Chromium's own word on an answer with an error's status: the answer itself is told of. */
const TOLD_OTHERWISE = /^Failed to load resource:/

/**
 * Tells of what a visitor wouldn't see: errors and warnings in the console (violations of the content policy among them),
 * exceptions, answers with an error's status, requests without an answer, and requests to another host.
 */
export async function watchForTrouble(page: Page, origin: string, tell: (trouble: string) => void): Promise<void> {
  page.on("console", (message) => {
    const isBad = message.type() === "error" || message.type() === "warning"
    if (isBad && !TOLD_OTHERWISE.test(message.text())) tell(`console: ${message.text()}`)
  })
  page.on("pageerror", ({ message }) => tell(`exception: ${message}`))
  page.on("dialog", (dialog) => {
    tell(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== "blob:" && asked !== origin) tell(`left the host: ${request.url()}`)
  })
  page.on("response", (response) => {
    const { pathname } = new URL(response.url())
    if (response.status() >= 400) tell(`${response.status()} ${response.request().method()} ${pathname}`)
  })
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "failed"
    // The page let go of it: another search was faster.
    if (why !== "net::ERR_ABORTED") tell(`${why} ${request.method()} ${new URL(request.url()).pathname}`)
  })
  // The console's words of it change with the browser's version; the event doesn't.
  await page.exposeFunction("tellOfPolicy", (what: string) => tell(`content policy: ${what}`))
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      (window as unknown as { tellOfPolicy(what: string): void }).tellOfPolicy(`${violatedDirective} ${blockedURI}`),
    ),
  )
}
