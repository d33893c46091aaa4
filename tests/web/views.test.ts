import { test } from "./browser.ts"

const VIEWS = {
  beginning: "/",
  results: "/?q=At%20what%20price%20was%20ice%20sold%20in%20summer%3F",
  ask: "/ask",
  library: "/library",
  status: "/status",
  "reader of a PDF": "/d/en%2Fice-house-report-1936/p001",
  "reader of two languages": "/d/andorinha-inquiry-1934",
  "reader of a text": "/d/en%2Ftide-tables-guide",
  "no such page": "/d/one/two/three",
  "an address that can't be read": "/d/%E0%A4%A",
  "no such document": "/d/none",
} as const

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

test.for(Object.entries(VIEWS))(
  "%s: fits its window, and axe finds nothing, in light and in dark",
  async ([name, path], { room }) => {
    if (name === "no such document") room.expectTrouble(/^404 GET \/documents\/none/)
    const page = await room.open(path)
    for (const size of SIZES) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await room.settled()
        await room.fitsItsWidth()
        await room.axe()
        await room.screenshot(`${name.replaceAll(" ", "-")}-${size.width}-${colorScheme}`)
      }
    }
    await page.setViewportSize({ width: 320, height: 844 })
    await room.settled()
    await room.fitsItsWidth()
  },
)
