import { type ArgumentNode, type FieldNode, Kind, parse, type SelectionSetNode, type ValueNode } from "graphql"

type Json = Record<string, unknown>

/** A name of GraphQL's own, as against a text. */
export class EnumName {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** One field of a query. */
export interface Field {
  readonly name: string
  readonly args: Json
  readonly fields: readonly Field[]
}

/** A query's one root field, read by GraphQL's own parser. Throws for what isn't GraphQL, and for what Weaviate has no use for. */
export function readQuery(text: string): Field {
  const { definitions } = parse(text)
  const [definition] = definitions
  if (definitions.length !== 1 || definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error("one query is wanted")
  const [root, ...others] = fieldsOf(definition.selectionSet)
  if (!root || others.length > 0) throw new Error("one field is wanted")
  return root
}

function fieldsOf(set: SelectionSetNode | undefined): Field[] {
  return (set?.selections ?? []).map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error(`${node.kind} is not used here`)
    return toField(node)
  })
}

function toField({ name, arguments: args = [], selectionSet }: FieldNode): Field {
  return {
    name: name.value,
    args: Object.fromEntries(args.map((one: ArgumentNode) => [one.name.value, toValue(one.value)])),
    fields: fieldsOf(selectionSet),
  }
}

function toValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value)
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value
    case Kind.ENUM:
      return new EnumName(node.value)
    case Kind.LIST:
      return node.values.map(toValue)
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, toValue(field.value)]))
    default:
      throw new Error(`${node.kind} is not used here`)
  }
}

/** A `where` argument as REST has it: the contract's `WhereFilter`. Operators must be names, and lists have fields of their own. */
export function toWhereFilter(where: Json): Json {
  const entries = Object.entries(where).map(([key, value]): [string, unknown] => {
    if (key === "operator") {
      if (!(value instanceof EnumName)) throw new Error("an operator is a name, not a text")
      return [key, value.name]
    }
    if (key === "operands") return [key, (value as Json[]).map(toWhereFilter)]
    return Array.isArray(value) && key.startsWith("value") ? [`${key}Array`, value] : [key, value]
  })
  return Object.fromEntries(entries)
}
