import { describe } from "vitest"
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

describe.each(Object.entries(VIEWS))("%s", (name, path) => {
  for (const width of [320, 390, 1280]) {
    test(`fits ${width} px${width > 320 ? ", and axe finds nothing" : ""}, in light and in dark`, async ({ room }) => {
      if (name === "no such document") room.expectTrouble(/^404 GET \/documents\/none/)
      const page = await room.open(path, { width })
      for (const scheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await room.settled()
        await room.fitsItsWidth()
        if (width > 320) await room.axe()
        await room.screenshot(`${name.replaceAll(" ", "-")}-${width}-${scheme}`)
      }
    })
  }
})
