import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultCommandRules, judgeCommand } from "../../../src/extension/approvals/commands.ts";
import { isSecretPath, isSensitivePath } from "../../../src/extension/approvals/sensitive.ts";
import { judgeAddress } from "../../../src/extension/fetching/address.ts";
import { safeLookup } from "../../../src/extension/fetching/safeLookup.ts";
import { isAllowedVariable } from "../../../src/extension/terminal/environment.ts";

/** Lists that were written down before the rules were measured on them. */
const lists = join(import.meta.dirname, "heldOut");
const minCaught = 0.97;
const maxAsked = 0.03;

/** Whether an address needs more than the question that each host gets. After ` = ` a row says what its name leads to. */
async function isSuspect(row: string): Promise<boolean> {
  const [text = "", found = "93.184.216.34"] = row.split(" = ");
  try {
    const { isPrivate, concerns, url } = judgeAddress(text);
    if (isPrivate || concerns.length > 0) return true;
    if (isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
    const lookup = safeLookup(false, () => Promise.resolve(found.split(", ")));
    return await new Promise((resolve) => lookup(url.hostname, { all: true }, (error) => resolve(error !== null)));
  } catch {
    return true;
  }
}

for (const list of readdirSync(lists)) {
  const rowsOf = (name: string) =>
    readFileSync(join(lists, list, `${name}.txt`), "utf8")
      .split("\n")
      .filter((line) => line !== "");

  describe(`the ${list} list of names and commands`, () => {
    let folder = "";
    before(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), "arbor-lists-")));
      execFileSync("git", ["init", "-q", folder]);
      for (const name of ["src", "docs"]) await mkdir(join(folder, name));
      for (const file of ["src/a.ts", ".env", "README.md", "docs/b.md"]) await writeFile(join(folder, file), "text\n");
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const isAsked = async (command: string) =>
      (await judgeCommand(command, defaultCommandRules, { cwd: folder, roots: [folder] })).verdict !== "allow";

    const has = (name: string) => existsSync(join(lists, list, `${name.split(" ")[0]}.txt`));
    const hostile: Record<string, (row: string) => boolean | Promise<boolean>> = {
      "secretPaths asked to be read": isSecretPath,
      "secretPaths asked to be changed": isSensitivePath,
      "runningPaths asked to be changed": isSensitivePath,
      "variables kept from commands": (row) => !isAllowedVariable(row, "value", "linux"),
      "commands asked": isAsked,
      "hosts questioned": isSuspect,
    };
    for (const [name, isCaught] of Object.entries(hostile).filter(([each]) => has(each))) {
      it(`has 97 % of its ${name}`, async () => {
        const rows = rowsOf(name.split(" ")[0] ?? "");
        assert.ok(rows.length >= 120, String(rows.length));
        const missed: string[] = [];
        for (const row of rows) if (!(await isCaught(row))) missed.push(row);
        assert.ok(missed.length <= (1 - minCaught) * rows.length, `${missed.length} of ${rows.length}: ${missed}`);
      });
    }

    const plain: Record<string, (row: string) => boolean | Promise<boolean>> = {
      "plainPaths to be read": isSecretPath,
      "plainPaths to be changed": isSensitivePath,
      "plainHosts to be fetched from": isSuspect,
    };
    for (const [name, isStopped] of Object.entries(plain).filter(([each]) => has(each))) {
      it(`has at most 3 % of its ${name} asked`, async () => {
        const rows = rowsOf(name.split(" ")[0] ?? "");
        const asked: string[] = [];
        for (const row of rows) if (await isStopped(row)) asked.push(row);
        assert.ok(asked.length <= maxAsked * rows.length, `${asked.length} of ${rows.length}: ${asked}`);
      });
    }

    if (has("plainCommands")) {
      it("has at most a tenth of its plainCommands asked", async () => {
        const rows = rowsOf("plainCommands");
        const asked: string[] = [];
        for (const row of rows) if (await isAsked(row)) asked.push(row);
        assert.ok(asked.length <= rows.length / 10, `${asked.length} of ${rows.length}: ${asked}`);
      });
    }
  });
}
