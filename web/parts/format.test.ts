import { expect, test } from "vitest"
import { countOf, formatAge, formatBytes, languageName } from "./format.ts"

test("sizes have the unit that fits and no more digits than mean something", () => {
  const sizes = [1, 714, 88_400, 999_600, 2_449_000, 11_288_890, 200_000_000, 1_500_000_000]
  expect(sizes.map(formatBytes)).toEqual([
    "1 byte",
    "714 bytes",
    "88 KB",
    "1 MB",
    "2.4 MB",
    "11.3 MB",
    "200 MB",
    "1.5 GB",
  ])
})

test("one is one, and more are more", () => {
  expect([countOf(1, "page"), countOf(0, "page"), countOf(12_345, "search", "searches")]).toEqual([
    "1 page",
    "0 pages",
    "12,345 searches",
  ])
})

test("an age is told in the largest unit that it fills", () => {
  const minute = 60_000
  expect([0, 59_000, minute, 59 * minute, 90 * minute, 3 * 1_440 * minute].map(formatAge)).toEqual([
    "just now",
    "just now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "3 days ago",
  ])
})

test("a language has its name, and what is none stays as it is", () => {
  expect([languageName("pt"), languageName("pt-BR"), languageName("no tag!")]).toEqual([
    "Portuguese",
    "Brazilian Portuguese",
    "no tag!",
  ])
})
