import { expect, test } from "vitest"
import { formBoundary, readForm } from "./multipart.ts"

async function* pieces(body: Buffer, size: number) {
  for (let i = 0; i < body.length; i += size) yield body.subarray(i, i + size)
}

async function read(body: Buffer | string, size = 7, boundary = "b-1") {
  const parts: { name: string; fileName: string | undefined; text: string }[] = []
  for await (const { name, fileName, body: content } of readForm(pieces(Buffer.from(body), size), boundary)) {
    const read: Uint8Array[] = []
    for await (const piece of content) read.push(Uint8Array.from(piece))
    parts.push({ name, fileName, text: Buffer.concat(read).toString("latin1") })
  }
  return parts
}

const part = (head: string, body: string) => `--b-1\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`

test("a form reads alike however its stream is cut", async () => {
  const tricky = "a\r\n--b-2\r\n--b\r\n\r\n-"
  const form = `preamble\r\n${part('name="file"; filename="a \\"b\\".txt"', tricky)}${part("name=id", "")}--b-1--\r\nepilogue`
  for (const size of [1, 2, 3, 5, 11, 64, 4096]) {
    expect(await read(form, size)).toEqual([
      { name: "file", fileName: 'a "b".txt', text: tricky },
      { name: "id", fileName: undefined, text: "" },
    ])
  }
})

test("what the platform's own FormData writes reads back, bytes and odd names too", async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256))
  const data = new FormData()
  data.set("file", new File([bytes], 'naïve "é".pdf'))
  data.set("title", "Título")
  const response = new Response(data)
  const boundary = formBoundary(response.headers.get("content-type") ?? "") ?? ""
  const body = Buffer.from(await response.arrayBuffer())
  const [file, title] = await read(body, 1_000, boundary)
  expect(file).toEqual({ name: "file", fileName: 'naïve "é".pdf', text: bytes.toString("latin1") })
  expect(Buffer.from(title?.text ?? "", "latin1").toString()).toBe("Título")
})

test("a part that is not read is passed over", async () => {
  const names: string[] = []
  const form = `${part('name="a"', "long body")}${part('name="b"', "x")}--b-1--`
  for await (const { name } of readForm(pieces(Buffer.from(form), 4), "b-1")) names.push(name)
  expect(names).toEqual(["a", "b"])
})

test.each([
  ["cut off", part('name="a"', "x").slice(0, -5)],
  ["without a last boundary", part('name="a"', "x")],
  ["without a name", `${part("x=1", "x")}--b-1--`],
  ["without any boundary", "hello"],
  ["empty", ""],
  ["with an endless head", `--b-1\r\n${"x".repeat(20_000)}`],
  ["with too many parts", `${part('name="a"', "x").repeat(40)}--b-1--`],
])("a body %s is refused", async (_, body) => {
  await expect(read(body, 512)).rejects.toMatchObject({ code: "invalid_request" })
})

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; charset=utf-8; boundary="a b"', "a b"],
  ["multipart/form-data", null],
  ["application/json", null],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, null],
  [undefined, null],
])("the boundary of %s", (type, boundary) => {
  expect(formBoundary(type)).toBe(boundary)
})
