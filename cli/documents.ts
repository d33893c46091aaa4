import type { Command } from "commander"
import type { DocumentDetails, DocumentSummary } from "../lib/documents/documents.ts"
import { CommandFailed } from "./exit.ts"
import { type EngineChoice, engineOption, withPublication } from "./publish.ts"
import { printable, type Terminal } from "./terminal.ts"
import { withRuntime } from "./with-runtime.ts"

interface Options {
  readonly tenant: string
  readonly json?: true
}

export function addDocumentsCommand(program: Command, terminal: Terminal): void {
  const documents = program.command("documents").description("list, show and delete documents")
  documents
    .command("list")
    .description("print the documents of a tenant, in order of id")
    .option("--json", "print them as JSON, one a line")
    .option("--tenant <name>", "whose documents", "primary")
    .action((options: Options) => listDocuments(options, terminal))
  documents
    .command("show")
    .description("print what is known of one document, and how far its upload is")
    .argument("<id>", "id of the document")
    .option("--json", "print it as JSON")
    .option("--tenant <name>", "whose document", "primary")
    .action((id: string, options: Options) => showDocument(id, options, terminal))
  documents
    .command("delete")
    .description("remove documents with their passages and pictures")
    .argument("<ids...>", "ids of the documents")
    .addOption(engineOption("--from", "the index that ingest --into wrote them into"))
    .option("--tenant <name>", "whose documents", "primary")
    .action((ids: string[], options: DeleteOptions) => deleteDocuments(ids, options, terminal))
}

interface DeleteOptions extends Options {
  readonly from?: EngineChoice
}

const PAGE = 200

async function listDocuments({ tenant, json }: Options, terminal: Terminal): Promise<void> {
  let count = 0
  await withRuntime(
    terminal,
    async (product) => {
      let cursor: string | undefined
      do {
        const page = await product.documents.list(tenant, { limit: PAGE, ...(cursor !== undefined && { cursor }) })
        for (const document of page.documents) terminal.line(json ? JSON.stringify(document) : describe(document))
        count += page.documents.length
        cursor = page.next_cursor
      } while (cursor !== undefined)
    },
    { withoutModels: true, withoutSearch: true },
  )
  if (count === 0 && !json) terminal.note(`${tenant} has no documents. Add some with: concordance ingest <folder>`)
}

function describe({ id, title, status, page_count, chunks, error }: DocumentSummary): string {
  const pages = page_count === undefined ? [] : [`${page_count} pages`]
  const why = error ? `: ${printable(error.message)}` : ""
  return `${printable(id)}  ${[status, ...pages, `${chunks} chunks`].join(", ")}  ${printable(title)}${why}`
}

async function showDocument(id: string, { tenant, json }: Options, terminal: Terminal): Promise<void> {
  const document = await withRuntime(terminal, (product) => product.documents.get(tenant, id), {
    withoutModels: true,
    withoutSearch: true,
  })
  if (json) terminal.line(JSON.stringify(document, null, 2))
  else for (const line of facts(document)) terminal.line(line)
}

function facts(document: DocumentDetails): string[] {
  const { progress, error, warnings = [], languages, metadata } = document
  return [
    describe(document),
    ...(progress ? [`    done ${progress.done} of ${progress.total} pages and chunks`] : []),
    ...(error
      ? [`    failed with ${error.code}${error.request_id ? `, request ${printable(error.request_id)}` : ""}`]
      : []),
    ...(document.mime_type === undefined ? [] : [`    type ${document.mime_type}`]),
    ...(languages.length > 0 ? [`    languages ${languages.join(", ")}`] : []),
    ...(Object.keys(metadata).length > 0 ? [`    metadata ${printable(JSON.stringify(metadata))}`] : []),
    `    created ${document.created_at}, changed ${document.updated_at}`,
    ...warnings.map((warning) => `    ${printable(warning)}`),
  ]
}

async function deleteDocuments(
  ids: readonly string[],
  { tenant, from }: DeleteOptions,
  terminal: Terminal,
): Promise<void> {
  const missing: string[] = []
  await withRuntime(
    terminal,
    (product) =>
      withPublication(product, { engine: from, tenant, terminal }, async (publication) => {
        for (const id of ids) {
          const wasHere = await product.ingest.delete(tenant, id)
          const wasThere = publication !== null && (await publication.publish([id], { others: false })).removed > 0
          if (wasHere || wasThere)
            terminal.line(`Deleted ${printable(id)}${wasThere ? `, from ${publication?.name} too` : ""}.`)
          else missing.push(id)
        }
      }),
    { withoutModels: true, withoutSearch: true },
  )
  for (const id of missing) terminal.note(`Error: ${tenant} has no document ${printable(id)}`)
  if (missing.length > 0) throw new CommandFailed()
}
