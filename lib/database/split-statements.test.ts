import { expect, test } from "vitest"
import { splitStatements } from "./split-statements.ts"

test("a script falls into its statements, without semicolons and empty parts", () => {
  expect(splitStatements("select 1;;\n select 2 ;\n-- the end;\n")).toEqual(["select 1", "select 2"])
})

test.each([
  "select 'a;b', 'it''s;'",
  "select e'\\';' , 1",
  'select 1 as "a;b"',
  "do $$ begin perform 1; end $$",
  "create function f() returns void language sql as $body$ select $$;$$; $body$",
  "select 1 /* ; */ + 1 -- ; more\n + 1",
])("a semicolon inside a string, a name, a body or a comment ends nothing: %s", (statement) => {
  expect(splitStatements(`${statement};select 2`)).toEqual([statement, "select 2"])
})
