import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileAges } from "../../../../src/extension/workspace/search/fileAges.ts";

describe("The ages of files", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-ages-"));
    await writeAged("a.ts", 1_000);
    await writeAged("b.ts", 2_000);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function writeAged(name: string, seconds: number): Promise<void> {
    await writeFile(join(folder, name), name);
    await utimes(join(folder, name), seconds, seconds);
  }

  it("are those of the file system, and 0 where there is no file", () => {
    const ages = new FileAges(folder);
    assert.deepEqual(ages.modifiedAt(["a.ts", "b.ts", "none.ts"]), [1_000_000, 2_000_000, 0]);
  });

  it("are looked up again once the editor reported a change", async () => {
    const ages = new FileAges(folder);
    ages.modifiedAt(["a.ts", "b.ts"]);
    await writeAged("a.ts", 3_000);
    ages.forget("a.ts");
    assert.deepEqual(ages.modifiedAt(["a.ts", "b.ts"]), [3_000_000, 2_000_000]);
    ages.dispose();
  });

  it("are wrong once at most where the editor watches nothing", async () => {
    const reviews: (() => void)[] = [];
    const ages = new FileAges(folder, (step) => {
      reviews.push(step);
      return { dispose: () => void reviews.pop() };
    });
    ages.modifiedAt(["a.ts", "b.ts"]);
    assert.equal(reviews.length, 0, "what was just looked up needs no second look");
    await writeAged("a.ts", 3_000);
    assert.deepEqual(ages.modifiedAt(["a.ts", "b.ts"]), [1_000_000, 2_000_000]);
    reviews.pop()?.();
    assert.deepEqual(ages.modifiedAt(["a.ts", "b.ts"]), [3_000_000, 2_000_000]);
    ages.dispose();
  });

  it("are looked up again only once no search asks for more", () => {
    let waiting = 0;
    const ages = new FileAges(folder, () => {
      waiting++;
      return { dispose: () => void waiting-- };
    });
    for (let search = 0; search < 5; search++) ages.modifiedAt(["a.ts", "b.ts"]);
    assert.equal(waiting, 1);
    ages.dispose();
    assert.equal(waiting, 0);
  });

  it("of many thousands of files are looked up again in turns, each of which asks for few", async () => {
    const batches = Array.from({ length: 50 }, (_, batch) =>
      Array.from({ length: 1_000 }, (_, index) => `none/${batch}/${index}.ts`),
    );
    const reviews: (() => void)[] = [];
    const ages = new FileAges(folder, (step) => {
      reviews.push(step);
      return { dispose: () => void reviews.pop() };
    });
    for (const batch of batches) ages.modifiedAt(batch);
    for (const batch of batches) ages.modifiedAt(batch);
    assert.equal(reviews.length, 1);
    let taken = 0;
    const add = Set.prototype.add;
    Set.prototype.add = function (value) {
      taken++;
      return add.call(this, value);
    };
    try {
      reviews.pop()?.();
    } finally {
      Set.prototype.add = add;
    }
    assert.ok(taken <= 1_000, `${taken} paths in one turn`);
    ages.dispose();
  });
});
