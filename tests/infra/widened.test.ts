import { expect, test } from "vitest"
import { tooMuch } from "./policies.ts"
import { synthesise } from "./synthesise.ts"

test("whoever widens a policy is told by name", async () => {
  const widened = await synthesise({
    stage: "production",
    planted: [
      { file: "infra/storage.ts", from: 'actions: ["s3:ListBucket"]', to: 'actions: ["s3:*"]' },
      { file: "infra/ingest.ts", from: '"sqs:ChangeMessageVisibility",', to: '"sqs:*",' },
      { file: "infra/ingest.ts", from: "resources: [queue.arn]", to: 'resources: ["*"]' },
      {
        file: "infra/api.ts",
        from: 'mayOnObjects(["pages", "images"], ["s3:GetObject"])',
        to: "{ actions: ['s3:GetObject'], resources: ['arn:aws:s3:::*'] }",
      },
      // As SST's manual does it: the bucket itself, in place of its name.
      {
        file: "infra/api.ts",
        from: "link: [database, spacesApiKey],\n  models",
        to: "link: [database, spacesApiKey, bucket],\n  models",
      },
      { file: "infra/api.ts", from: "mayOnObjects, objects }", to: "mayOnObjects, objects, bucket }" },
      { file: "infra/create-lambda.ts", from: "args.managedPolicyArns = []", to: "" },
      { file: "infra/create-lambda.ts", from: "if (!$dev) args.assumeRolePolicy = LAMBDA_ALONE", to: "" },
      {
        file: "infra/queue.ts",
        from: 'type: "Service", identifiers: ["s3.amazonaws.com"]',
        to: 'type: "AWS", identifiers: ["*"]',
      },
    ],
  })
  expect(tooMuch(widened)).toEqual(
    expect.arrayContaining([
      "CropRole: the action s3:*",
      "IngestRole: the action sqs:*",
      "IngestRole: the resource *",
      "CropRole: the resource arn:aws:s3:::*",
      "SearchRole: the action s3:*",
      "SearchRole: the managed policy arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole",
      "SearchRole: the principal arn:aws:iam::123456789012:root",
      "IngestQueuePolicy: the principal *",
    ]),
  )
})
