import assert from "node:assert/strict";
import fc from "fast-check";
import { NewestFiles } from "../../../../src/extension/workspace/search/newestFiles.ts";

describe("The newest files", () => {
  const file = fc.record({ path: fc.string({ maxLength: 3 }), modifiedAt: fc.nat(5) });

  it("are the first of all files sorted by age and path", () => {
    fc.assert(
      fc.property(fc.array(file), fc.integer({ min: 1, max: 20 }), (files, limit) => {
        const sorted = files.toSorted(
          (one, other) =>
            other.modifiedAt - one.modifiedAt || (one.path < other.path ? -1 : Number(one.path > other.path)),
        );
        const newest = new NewestFiles(limit);
        for (const { path, modifiedAt } of files) newest.add(path, modifiedAt);
        assert.deepEqual(newest.found(), {
          paths: sorted.slice(0, limit).map(({ path }) => path),
          truncated: files.length > limit,
        });
      }),
    );
  });
});
