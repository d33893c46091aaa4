import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"

/** Attributes as written, entities decoded; of a name that stands twice, the first. */
export type Attributes = Readonly<Record<string, string>>

/** What a scan reports, in the order of the text. */
export interface MarkupHandler {
  /** `selfClosing`: it was written `<x/>`, and in XML nothing will close it. */
  open(name: string, attributes: Attributes, selfClosing: boolean): void
  close(name: string): void
  /** A run of text, entities decoded. One text may come in several runs. */
  text(value: string): void
}

const NO_ATTRIBUTES: Attributes = {}
/** An element with more is made by no writer; the others are dropped. */
const ATTRIBUTES_MAX = 200

/**
 * Reads HTML or XML from front to back in linear time, whatever it is. Declared entities are not expanded, comments,
 * doctypes and processing instructions are skipped. In XML, names of elements come without their prefix (`w:p` is `p`),
 * names of attributes with it; in HTML both are lower case.
 *
 * A tokenizer alone, without a tree builder: parse5 takes 15 s for 40,000 nested `<div>` (200 kB), since it looks through
 * all open elements at each tag.
 */
export function scanMarkup(text: string, xml: boolean, handler: MarkupHandler): void {
  let name = ""
  let attributes: Record<string, string> | null = null
  let attributeCount = 0
  let attribute = ""
  let value = ""
  const openTag = (selfClosing: boolean): void => {
    handler.open(name, attributes ?? NO_ATTRIBUTES, selfClosing)
    attributes = null
  }
  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => handler.text(text.slice(start, end)),
    ontextentity: (codePoint) => handler.text(characterOf(codePoint)),
    oncdata: (start, end, endOffset) => {
      if (xml) handler.text(text.slice(start, end - endOffset))
    },
    onopentagname(start, end) {
      name = nameOf(text.slice(start, end), xml)
      attributeCount = 0
    },
    onopentagend: () => openTag(false),
    onselfclosingtag: () => openTag(true),
    onclosetag: (start, end) => handler.close(nameOf(text.slice(start, end), xml)),
    onattribname(start, end) {
      attribute = xml ? text.slice(start, end) : text.slice(start, end).toLowerCase()
      value = ""
    },
    onattribdata(start, end) {
      value += text.slice(start, end)
    },
    onattribentity(codePoint) {
      value += characterOf(codePoint)
    },
    onattribend() {
      if (attributeCount++ >= ATTRIBUTES_MAX) return
      attributes ??= Object.create(null) as Record<string, string>
      attributes[attribute] ??= value
    },
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
  const tokenizer = new Tokenizer({ xmlMode: xml, decodeEntities: true }, callbacks)
  tokenizer.write(text)
  tokenizer.end()
}

function ignore(): void {
  // Nothing to read there.
}

function nameOf(written: string, xml: boolean): string {
  return xml ? written.slice(written.indexOf(":") + 1) : written.toLowerCase()
}

function characterOf(codePoint: number): string {
  return codePoint > 0x10ffff ? "\uFFFD" : String.fromCodePoint(codePoint)
}
