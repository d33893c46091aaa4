import type { Synthesis } from "./synthesis.ts"

/** Who may do what, as AWS would have it: of a role, a queue or a bucket. */
export interface Statement {
  readonly Effect: "Allow" | "Deny"
  readonly Principal?: Readonly<Record<string, string | readonly string[]>>
  readonly Action?: string | readonly string[]
  readonly NotAction?: unknown
  readonly Resource?: string | readonly string[]
  readonly NotResource?: unknown
  readonly Condition?: unknown
}

/** Every statement of a synthesis, by what it stands on. */
export function statementsOf({ resources }: Synthesis): { readonly on: string; readonly statement: Statement }[] {
  return resources.flatMap(({ type, name, inputs }) => {
    const documents =
      type === "aws:iam/role:Role"
        ? [inputs.assumeRolePolicy, ...(inputs.inlinePolicies ?? []).map((inline: { policy: string }) => inline.policy)]
        : [inputs.policy].filter((policy) => policy && type !== "aws:ecr/lifecyclePolicy:LifecyclePolicy")
    return documents.flatMap((document: string | { Statement: Statement[] }) => {
      const { Statement } =
        typeof document === "string" ? (JSON.parse(document) as { Statement: Statement[] }) : document
      return Statement.map((statement) => ({ on: name, statement }))
    })
  })
}

/** What of a synthesis allows more than single actions on single resources, in words. Empty is how it should be. */
export function tooMuch(synthesis: Synthesis): string[] {
  const managed = synthesis.resources.flatMap(({ name, inputs }) =>
    ((inputs.managedPolicyArns as string[] | undefined) ?? []).map((arn) => `${name}: the managed policy ${arn}`),
  )
  return [
    ...managed,
    ...statementsOf(synthesis).flatMap(({ on, statement }) => excessOf(statement).map((what) => `${on}: ${what}`)),
  ]
}

function excessOf(statement: Statement): string[] {
  if (statement.Effect === "Deny") return []
  const actions = asList(statement.Action)
  return [
    ...(statement.NotAction || statement.NotResource ? ["everything but"] : []),
    ...actions.filter((action) => action.includes("*")).map((action) => `the action ${action}`),
    // Folders of the bucket, and streams of one log group: the last part of an ARN that names its resource.
    ...asList(statement.Resource)
      .filter(
        (arn) =>
          !/^arn:aws:[a-z0-9-]+:[^*]*?:[^*]*?:[^*]+?(?:\/\*|:\*)?$/.test(arn) || /^arn:aws:s3:::[^/]*\*/.test(arn),
      )
      .map((arn) => `the resource ${arn}`),
    ...Object.values(statement.Principal ?? {})
      .flatMap(asList)
      .filter((who) => who === "*" || /:root$|^\d{12}$/.test(who))
      .map((who) => `the principal ${who}`),
  ]
}

function asList(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value
}
