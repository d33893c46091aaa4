import { createLambda } from "./create-lambda.ts"
import { database } from "./database.ts"
import { inferenceLinks } from "./inference.ts"
import { migration } from "./migrate.ts"
import { INGEST_TIMEOUT_SECONDS, ingestQueue, queue } from "./queue.ts"
import { llmApiKey, spacesApiKey } from "./secrets.ts"
import { stage } from "./stage.ts"
import { mayListObjects, mayOnObjects, objects } from "./storage.ts"

/** Files that lib/documents/pages finds by name at run time, so that no bundler sees them. */
const RUNTIME_FILES = [
  "@embedpdf/pdfium/package.json",
  "@embedpdf/pdfium/dist/pdfium.wasm",
  "tesseract.js-core/package.json",
  "tesseract.js-core/tesseract-core-simd-lstm.js",
  "tesseract.js-core/tesseract-core-simd-lstm.wasm",
  "@tesseract.js-data/eng/package.json",
  "@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz",
  "@tesseract.js-data/por/package.json",
  "@tesseract.js-data/por/4.0.0_best_int/por.traineddata.gz",
]

export const ingest = createLambda("Ingest", {
  handler: "functions/ingest.handler",
  memoryMb: 3_008,
  timeoutSeconds: INGEST_TIMEOUT_SECONDS,
  link: [database, objects, ingestQueue, llmApiKey, spacesApiKey],
  models: inferenceLinks,
  permissions: [
    mayListObjects,
    // The version that the event names is what is read: the newest may be another by now.
    mayOnObjects(["uploads"], ["s3:GetObject", "s3:GetObjectVersion", "s3:DeleteObject"]),
    mayOnObjects(["pages", "images"], ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]),
    {
      actions: [
        "sqs:SendMessage",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:GetQueueAttributes",
      ],
      resources: [queue.arn],
    },
  ],
  after: [migration],
  more: {
    // A file may have 200 MB, and lies here beside its pages.
    storage: "1024 MB",
    nodejs: { install: ["sharp"] },
    copyFiles: RUNTIME_FILES.map((name) => ({ from: `node_modules/${name}` })),
    ...(stage.reserveIngest && { concurrency: { reserved: stage.ingestWorkers } }),
  },
})

queue.subscribe(ingest.arn, {
  // One message a Lambda: it has the whole timeout, and one that can't be read takes no other with it.
  batch: { size: 1, partialResponses: true },
  transform: {
    eventSourceMapping: (args) => {
      args.scalingConfig = { maximumConcurrency: stage.ingestWorkers }
    },
  },
})
