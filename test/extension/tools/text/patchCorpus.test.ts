import assert from "node:assert/strict";
import * as z from "zod";
import { EditError } from "../../../../src/extension/tools/text/editError.ts";
import { applyPatch } from "../../../../src/extension/tools/text/patch.ts";
import { readCorpus } from "../../../support/corpora.ts";

const tree = z.record(z.string(), z.object({ text: z.string() }));
const rowSchema = z.object({
  id: z.string(),
  input: tree,
  patch: z.string(),
  expected: tree,
  oursExpected: tree.optional(),
  outcome: z.enum(["success", "error"]),
  errorKind: z.string().optional(),
});
type Row = z.infer<typeof rowSchema>;

/** The corpus's names of errors and ours. */
const kinds: Record<string, string> = {
  "empty-patch": "malformed",
  "bad-patch": "malformed",
  "file-missing": "missing-file",
  "not-a-file": "missing-file",
  "no-match": "no-match",
};

/** Rows that write over an existing file, which is marked so that a person is asked. */
const overwriting = new Set(["010_move_overwrites_existing_destination", "011_add_overwrites_existing_file"]);

async function outcomeOf(row: Row) {
  const files = new Map(Object.entries(row.input).map(([path, { text }]) => [path, text]));
  try {
    const changes = await applyPatch(row.patch, async (path) => files.get(path));
    for (const { path, kind, after, movedTo } of changes) {
      if (kind === "delete" || movedTo !== undefined) files.delete(path);
      if (after !== undefined) files.set(movedTo ?? path, after);
    }
    return { files: Object.fromEntries(files), overwrites: changes.some((change) => change.overwrites) };
  } catch (error) {
    if (error instanceof EditError) return { files: Object.fromEntries(files), error: error.kind };
    throw error;
  }
}

describe("The corpus of patches", () => {
  const corpus = readCorpus("apply-patch.json");
  const schema = z.object({ scenarios: z.array(rowSchema), extra: z.array(rowSchema) });
  const { scenarios, extra } = corpus === undefined ? { scenarios: [], extra: [] } : schema.parse(corpus);
  for (const row of [...scenarios, ...extra]) {
    it(row.id, async () => {
      const expected = row.oursExpected ?? row.expected;
      const files = Object.fromEntries(Object.entries(expected).map(([path, { text }]) => [path, text]));
      const outcome =
        row.outcome === "error" ? { error: kinds[row.errorKind ?? ""] } : { overwrites: overwriting.has(row.id) };
      assert.deepEqual(await outcomeOf(row), { files, ...outcome });
    });
  }
});
