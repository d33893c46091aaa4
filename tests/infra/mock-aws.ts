const ACCOUNT = "123456789012"
const REGION = "eu-central-1"

// biome-ignore lint/suspicious/noExplicitAny: inputs of any resource
type Inputs = any

/** What AWS would say of a new resource, as far as others build on it. ARNs must be well formed: SST parses them. */
export function answerResource({ type, name, inputs }: { type: string; name: string; inputs: Inputs }) {
  const named: string = inputs.name ?? inputs.bucket ?? name
  const arn = arnOf(type, named)
  return {
    id: idOf(type, named),
    state: {
      ...inputs,
      name: inputs.name ?? name,
      arn,
      ...(type === "aws:s3/bucket:Bucket" && { bucket: named, bucketRegionalDomainName: `${named}.s3.amazonaws.com` }),
      ...(type === "aws:sqs/queue:Queue" && { url: idOf(type, named) }),
      ...(type === "aws:lambda/function:Function" && { version: "1", qualifiedArn: `${arn}:1`, invokeArn: arn }),
      ...(type === "aws:lambda/alias:Alias" && {
        arn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${inputs.functionName}:${inputs.name}`,
      }),
      ...(type === "aws:lambda/functionUrl:FunctionUrl" && {
        functionUrl: `https://${name.toLowerCase()}.lambda-url.${REGION}.on.aws/`,
      }),
      ...(type === "aws:apigatewayv2/api:Api" && {
        apiEndpoint: `https://${name.toLowerCase()}.execute-api.${REGION}.amazonaws.com`,
        executionArn: `arn:aws:execute-api:${REGION}:${ACCOUNT}:${name}`,
      }),
      ...(type === "aws:cloudfront/distribution:Distribution" && { domainName: "mock.cloudfront.net" }),
      ...(type === "aws:acm/certificate:Certificate" && {
        domainValidationOptions: [
          {
            domainName: inputs.domainName,
            resourceRecordName: "_mock",
            resourceRecordType: "CNAME",
            resourceRecordValue: "mock",
          },
        ],
      }),
      ...(type === "aws:ecr/repository:Repository" && {
        repositoryUrl: `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/${name.toLowerCase()}`,
        registryId: ACCOUNT,
      }),
      ...(type === "docker-build:index:Image" && { ref: `${inputs.tags?.[0]}@sha256:${"0".repeat(64)}` }),
      ...(type === "random:index/randomPassword:RandomPassword" && { result: "p".repeat(inputs.length) }),
      ...(type === "random:index/randomBytes:RandomBytes" && { base64: "A".repeat(44) }),
      ...(type === "neon:index/project:Project" && {
        connectionUriPooler:
          "postgres://concordance_owner:neon@ep-mock-1-pooler.eu-central-1.aws.neon.tech/concordance?sslmode=require",
      }),
    },
  }
}

/** What AWS would say when asked. */
export function answerCall({ token, inputs }: { token: string; inputs: Inputs }) {
  switch (token) {
    case "aws:index/getRegion:getRegion":
      return { region: REGION, name: REGION, id: REGION }
    case "aws:index/getPartition:getPartition":
      return { partition: "aws", dnsSuffix: "amazonaws.com" }
    case "aws:index/getCallerIdentity:getCallerIdentity":
      return { accountId: ACCOUNT, arn: `arn:aws:iam::${ACCOUNT}:user/mock` }
    case "aws:iam/getPolicyDocument:getPolicyDocument":
      return {
        ...inputs,
        json: JSON.stringify({ Version: "2012-10-17", Statement: (inputs.statements ?? []).map(asJson) }),
      }
    case "aws:ecr/getAuthorizationToken:getAuthorizationToken":
      return { userName: "AWS", password: "mock", proxyEndpoint: `https://${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com` }
    default:
      return inputs
  }
}

/** A statement as AWS's own JSON has it, so that a check sees what AWS would. */
function asJson(statement: Inputs) {
  const { effect = "Allow", actions, notActions, resources, notResources, principals, conditions } = statement
  return {
    Effect: effect,
    ...(principals && { Principal: grouped(principals, ({ type, identifiers }) => [type, identifiers]) }),
    ...(actions && { Action: actions }),
    ...(notActions && { NotAction: notActions }),
    ...(resources && { Resource: resources }),
    ...(notResources && { NotResource: notResources }),
    ...(conditions && {
      Condition: grouped(conditions, ({ test, variable, values }) => [test, { [variable]: values }]),
    }),
  }
}

function grouped(items: Inputs[], entry: (item: Inputs) => [string, unknown]) {
  return Object.fromEntries(items.map(entry))
}

function arnOf(type: string, name: string): string {
  const [, service = "mock"] = /^\w[\w-]*:(\w+)/.exec(type) ?? []
  switch (type) {
    case "aws:s3/bucket:Bucket":
      return `arn:aws:s3:::${name}`
    case "aws:iam/role:Role":
      return `arn:aws:iam::${ACCOUNT}:role/${name}`
    case "aws:lambda/function:Function":
      return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`
    case "aws:cloudwatch/logGroup:LogGroup":
      return `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${name}`
    default:
      return `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`
  }
}

function idOf(type: string, name: string): string {
  return type === "aws:sqs/queue:Queue" ? `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}` : name
}
