import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { takeSnapshot } from "../../../scripts/start/workspaceDiff.ts";
import { isEverything } from "../../support/soak.ts";
import { root, sampleWorkspace } from "../places.ts";
import { type RandomProject, randomProject, writeProject } from "./randomWorkspace.ts";

interface Printed {
  readonly code: number | null;
  readonly conversation: string;
  readonly agents: string;
  readonly changes: string;
  readonly all: string;
}

/** What a person sees who starts Arbor without a display. */
async function start(...args: string[]): Promise<Printed> {
  const child = spawn(process.execPath, [path.join(root, "scripts/start.mjs"), "--headless", ...args], { cwd: root });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  const all = out + errors;
  const section = (title: string) =>
    new RegExp(`── ${title} ─+\\n\\n([\\s\\S]*?)(?=\\n── |$)`).exec(out)?.[1]?.trim() ?? "";
  return {
    code,
    all,
    conversation: section("Conversation"),
    agents: section("Agents"),
    changes: section("Changes in the workspace"),
  };
}

/** The text of a file of the workspace, or of the repository when it has been put there. */
const read = (folder: string, file: string) => readFile(path.join(folder, file), "utf8");

/** The question, its one right place, and a rename, on some folder. */
interface Example {
  readonly question: string;
  readonly place: { readonly file: string; readonly line: number };
  readonly oldName: string;
  readonly newName: string;
  readonly users: readonly string[];
  makeFolder(): Promise<string>;
}

async function copySample(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  await cp(sampleWorkspace, folder, { recursive: true });
  return folder;
}

const ofSample: Example = {
  question: "Where is the price computed?",
  place: { file: "src/pricing/computePrice.ts", line: 17 },
  oldName: "formatPrice",
  newName: "formatMoney",
  users: [
    "src/cart/summary.ts",
    "src/catalogue/search.ts",
    "src/format/money.ts",
    "src/index.ts",
    "src/orders/export.ts",
    "src/orders/receipt.ts",
    "test/format.test.ts",
  ],
  makeFolder: copySample,
};

function ofRandom(project: RandomProject): Example {
  return {
    question: `Where is the ${project.noun} ${project.participle}?`,
    place: project.definition,
    ...{ oldName: project.oldName, newName: project.newName, users: project.users },
    makeFolder: () => writeProject(project),
  };
}

function works(title: string, example: Example): void {
  describe(`npm start -- --headless on ${title}`, () => {
    const rename = `replace ${example.oldName} with ${example.newName}`;
    let folder: string;
    before(async () => {
      folder = await example.makeFolder();
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it("answers a question with the right file and line, after explorers have looked", async () => {
      const picture = path.join(folder, "..", `${path.basename(folder)}.png`);
      try {
        const printed = await start("--ask", example.question, "--workspace", folder, "--screenshot", picture);
        assert.equal(printed.code, 0, printed.all);
        const answer = printed.conversation.split("main:").at(-1) ?? "";
        assert.match(
          answer,
          new RegExp(`${example.place.file.replaceAll(".", "\\.")}\\D{1,12}${example.place.line}\\b`),
        );
        const explorers = printed.agents.split("\n").filter((line) => /^ {2}\S.*\btokens\b/.test(line));
        assert.ok(explorers.length >= 2, printed.agents);
        assert.equal(printed.changes, "(nothing)");
        assert.ok(printed.all.includes(picture), "says where the picture is");
        assert.deepEqual(
          [...(await readFile(picture)).subarray(1, 4)],
          [..."PNG"].map((letter) => letter.charCodeAt(0)),
        );
      } finally {
        await rm(picture, { force: true });
      }
    });

    it("leaves the disk as it is when every edit is rejected, and the model gets to know so", async () => {
      const before = await takeSnapshot(folder);
      try {
        const printed = await start("--ask", rename, "--workspace", folder, "--approve", "none");
        assert.equal(printed.code, 0, printed.all);
        assert.equal(await before.diff(), "");
        assert.match(printed.conversation, /reject/i);
        assert.match(printed.all, /\b[1-9]\d* requests? for approval (?:was|were) rejected, .*--approve all/);
      } finally {
        await before.remove();
      }
    });

    it("replaces a name everywhere when every edit is accepted", async () => {
      const texts = await Promise.all(example.users.map((file) => read(folder, file)));
      const printed = await start("--ask", rename, "--workspace", folder, "--approve", "all");
      assert.equal(printed.code, 0, printed.all);
      assert.doesNotMatch(printed.all, /for approval (?:was|were) rejected/);
      for (const [index, file] of example.users.entries()) {
        assert.equal(await read(folder, file), texts[index]?.replaceAll(example.oldName, example.newName), file);
        assert.ok(printed.changes.includes(`+++ b/${file}`), `${file} is in the printed diff`);
      }
    });
  });
}

const seed = Number(process.env.ARBOR_SEED ?? Math.floor(Math.random() * 2 ** 31));

works("the sample workspace", ofSample);
// Names and places of its own, on the same ways.
if (isEverything) works(`a made-up workspace (ARBOR_SEED=${seed})`, ofRandom(randomProject(seed)));
