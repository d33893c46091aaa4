type Storage = "localStorage" | "sessionStorage"

/** What the browser kept under a key; null where there is nothing, or storage is forbidden. */
export function readKept(storage: Storage, key: string): string | null {
  try {
    return window[storage].getItem(key)
  } catch {
    return null
  }
}

/** Keeps it; where storage is full or forbidden it lasts as long as the page. */
export function keep(storage: Storage, key: string, value: string): void {
  try {
    window[storage].setItem(key, value)
  } catch {
    // Nothing else depends on it.
  }
}
