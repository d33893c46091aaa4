import { indexLinks } from "./secrets.ts"
import { handlerEnvironment, indexEnvironment, modelsEnvironment, stage } from "./stage.ts"

type Permission = Exclude<Extract<sst.aws.FunctionArgs["permissions"], readonly unknown[]>, undefined>[number]

/** Who may take a function's role. */
export const LAMBDA_ALONE = aws.iam.assumeRolePolicyForPrincipal({ Service: "lambda.amazonaws.com" })

interface LambdaSettings {
  /** Path of the file, and the export: `functions/search.handler`. */
  readonly handler: string
  /** MB. CPU grows with it: 1,769 MB are one core. */
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly link: readonly (sst.Linkable<Record<string, unknown>> | sst.Secret)[]
  /** `inferenceLinks`, where it calls the models. */
  readonly models?: readonly (sst.Linkable<Record<string, unknown>> | sst.Secret)[]
  /** Whether it reads the index that is searched, and so is handed its settings and its key. */
  readonly searches?: boolean
  readonly permissions?: readonly Permission[]
  /** What must have happened before this code may serve: the migration. */
  readonly after?: readonly $util.Resource[]
  /** More of what SST's component takes. */
  readonly more?: Pick<
    sst.aws.FunctionArgs,
    "concurrency" | "copyFiles" | "nodejs" | "storage" | "streaming" | "url" | "versioning"
  >
}

/**
 * One Lambda as all of them are: arm64, a log group of its own that forgets, and a role that may write there and do what
 * `permissions` names, nothing else. SST's own default would be to write to every log group of the account.
 */
export function createLambda(name: string, settings: LambdaSettings): sst.aws.Function {
  const logGroup = createLogGroup(name)
  return new sst.aws.Function(name, {
    handler: settings.handler,
    runtime: "nodejs22.x",
    architecture: "arm64",
    memory: `${settings.memoryMb} MB`,
    timeout: `${settings.timeoutSeconds} seconds`,
    environment: {
      ...handlerEnvironment,
      ...(settings.models && modelsEnvironment),
      ...(settings.searches && indexEnvironment),
    },
    link: [...settings.link, ...(settings.models ?? []), ...(settings.searches ? indexLinks : [])],
    permissions: [...(settings.permissions ?? []), mayWriteTo(logGroup)],
    // The service writes JSON lines of its own; Lambda's JSON format would wrap them in another object.
    logging: { format: "text", logGroup: logGroup.name },
    ...settings.more,
    // What only some requests need (a database's driver, keys) stands in files of its own, which others don't read.
    nodejs: { splitting: true, ...settings.more?.nodejs },
    transform: {
      role: (args) => {
        args.managedPolicyArns = []
        // SST lets the whole account take the role too, which only `sst dev` needs.
        if (!$dev) args.assumeRolePolicy = LAMBDA_ALONE
      },
      function: (_args, options) => {
        options.dependsOn = [...(settings.after ?? [])]
      },
    },
  })
}

/** A log group with an end, by the name under which Lambda's console looks for it. */
export function createLogGroup(name: string): aws.cloudwatch.LogGroup {
  return new aws.cloudwatch.LogGroup(`${name}Logs`, {
    name: `/aws/lambda/${$app.name}-${$app.stage}-${name}`,
    retentionInDays: stage.logDays,
  })
}

export function mayWriteTo(logGroup: aws.cloudwatch.LogGroup) {
  return { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logGroup.arn}:*`] }
}

/**
 * An alias of which some instances always wait for requests, paid by the hour; it has to be called in the function's
 * place. SST's own setting warms a version that API Gateway doesn't call.
 */
export function keepWarm(
  name: string,
  version: Pick<aws.lambda.AliasArgs, "functionName" | "functionVersion">,
  instances: number,
): aws.lambda.Alias {
  const alias = new aws.lambda.Alias(`${name}Live`, { name: "live", ...version })
  new aws.lambda.ProvisionedConcurrencyConfig(`${name}Warm`, {
    functionName: version.functionName,
    qualifier: alias.name,
    provisionedConcurrentExecutions: instances,
  })
  return alias
}
