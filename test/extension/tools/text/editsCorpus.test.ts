import assert from "node:assert/strict";
import * as z from "zod";
import { applyEdits, EditError } from "../../../../src/extension/tools/text/replace.ts";
import { readCorpus } from "../../../support/corpora.ts";

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  original: z.string(),
  edits: z.array(z.object({ search: z.string(), replace: z.string(), all: z.boolean().optional() })),
  expected: z.enum(["success", "error"]),
  result: z.string().optional(),
  error: z.string().optional(),
  upstreamResult: z.string().optional(),
});
type Row = z.infer<typeof rowSchema>;

/** Rows whose outcome is ours on purpose. */
const deviations = new Map<string, { error: string } | { text: (row: Row) => string }>([
  // No text format is parsed: a call without edits is malformed arguments.
  ["e013", { error: "malformed" }],
  // They differ in blanks alone, and in one place.
  ["e028", { text: ({ upstreamResult = "" }) => upstreamResult }],
  // The same, and the new lines are indented as the file is.
  ["e160", { text: ({ edits: [edit] }) => (edit?.replace ?? "").replaceAll("  ", "\t") }],
  ["e105", { text: ({ upstreamResult = "" }) => upstreamResult.replace(/^ {2}(?=\/\/ console|return A)/gm, "\t") }],
]);

function outcomeOf(row: Row): { text: string } | { error: string } {
  const edits = row.edits.map(({ search, replace, all }) => ({
    oldText: search,
    newText: replace,
    ...(all === undefined ? {} : { replaceAll: all }),
  }));
  try {
    return { text: applyEdits(row.original, edits).text };
  } catch (error) {
    if (error instanceof EditError) return { error: error.kind };
    throw error;
  }
}

describe("The corpus of edits", () => {
  const corpus = readCorpus("edits.json");
  const rows = corpus === undefined ? [] : z.object({ rows: z.array(rowSchema) }).parse(corpus).rows;
  for (const row of rows) {
    it(`${row.id} ${row.name.slice(0, 80)}`, () => {
      const deviation = deviations.get(row.id);
      const expected = row.expected === "success" ? { text: row.result } : { error: row.error };
      const own = deviation !== undefined && "text" in deviation ? { text: deviation.text(row) } : deviation;
      assert.deepEqual(outcomeOf(row), own ?? expected);
    });
  }
});
