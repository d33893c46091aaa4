import { configurationKeys } from "./environment-schema.ts"
import { keyDescriptions } from "./key-descriptions.ts"

/** docs/configuration.md: every key of the environment, generated from the schema that reads them. */
export function configurationPage(): string {
  const keys = configurationKeys()
  const groups = [...new Set(keys.map(({ group }) => group))]
  const sections = groups.map((group) =>
    [
      `## ${group}`,
      "",
      "| key | default | must be | what it does |",
      "| --- | --- | --- | --- |",
      ...keys.filter((key) => key.group === group).map(tableRow),
    ].join("\n"),
  )
  return `${PREFACE}\n${sections.join("\n\n")}\n`
}

const PREFACE = `# Configuration

<!-- Generated from lib/environment-schema.ts by \`npm run docs:config\`; a test fails when this file is out of date. -->

Concordance is configured by environment variables, read once at start. An empty value counts as unset. A wrong
value stops the start with a message that names the key and what it must be.
`

function tableRow({ key, alias, fallback, values }: ReturnType<typeof configurationKeys>[number]): string {
  const name = alias ? `\`${key}\` (alias \`${alias}\`)` : `\`${key}\``
  return `| ${name} | ${fallback ? `\`${fallback}\`` : "–"} | ${values} | ${keyDescriptions[key]}. |`
}
