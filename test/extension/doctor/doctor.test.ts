import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { attempt, type Check, type RunProgram } from "../../../src/extension/doctor/check.ts";
import {
  checkGit,
  checkRipgrep,
  checkSandbox,
  checkSettings,
  checkShell,
  checkStorage,
  checkTrust,
} from "../../../src/extension/doctor/machineChecks.ts";
import { checkModels } from "../../../src/extension/doctor/modelChecks.ts";
import { formatReport } from "../../../src/extension/doctor/report.ts";
import { type JsonServer, startJsonServer } from "../../support/jsonServer.ts";
import { anthropicPage } from "../../support/modelFixtures.ts";
import { setUpWorld } from "../../support/modelSetUp.ts";

const { signal } = new AbortController();
const stateOf = ({ state, fix }: Check) => [state, fix?.command];

describe("the doctor, of models", () => {
  let server: JsonServer;
  before(async () => {
    server = await startJsonServer();
  });
  beforeEach(() => {
    server.routes = { "/v1/models": anthropicPage };
  });
  after(() => server.stop());

  async function check(raw: Record<string, unknown>, keys: Record<string, string> = {}) {
    const { context } = setUpWorld({ settings: raw, keys });
    return checkModels({ ...context, settings: context.settings() }, signal);
  }
  const ofAnthropic = (entry: object = {}) => ({
    "arbor.model": "anthropic/claude-plain",
    "arbor.providers": { anthropic: { baseUrl: server.origin, ...entry } },
  });

  it("finds a provider that answers and accepts its key", async () => {
    const [model, provider, ...others] = await check(ofAnthropic(), { anthropic: "sk-good" });
    assert.deepEqual(model, { title: "Model", state: "ok", text: "anthropic/claude-plain" });
    assert.equal(provider?.state, "ok");
    assert.match(provider?.text ?? "", /^127\.0\.0\.1:\d+ answers and accepts the key\. Models: 3\.$/);
    assert.deepEqual(others, []);
  });

  it("says that the demo is none, and leads to one", async () => {
    const [model] = await check({});
    assert.deepEqual(model && stateOf(model), ["warning", "arbor.setUp"]);
  });

  it("leads from a missing and a rejected key to where it is set", async () => {
    const [, missing] = await check(ofAnthropic());
    assert.deepEqual(missing?.fix, {
      label: "Set API Key",
      command: "arbor.setApiKey",
      arguments: [{ provider: "anthropic" }],
    });
    server.routes = { "/v1/models": (response) => response.writeHead(401).end('{"error":"sk-canary is bad"}') };
    const [, rejected] = await check(ofAnthropic(), { anthropic: "sk-canary" });
    assert.deepEqual(rejected && stateOf(rejected), ["problem", "arbor.setApiKey"]);
    assert.match(rejected?.text ?? "", /rejected the API key/);
    assert.doesNotMatch(JSON.stringify(rejected), /canary/);
    const [, ofEnvironment] = await check(ofAnthropic({ apiKeyEnv: "NOT_SET" }));
    assert.match(ofEnvironment?.text ?? "", /NOT_SET is empty/);
    assert.equal(ofEnvironment?.fix?.command, "workbench.action.openSettings");
  });

  it("takes no list that is open to all for a proof of the key", async () => {
    server.routes["/v1/key"] = (response) => response.writeHead(401).end("{}");
    const ofOpenrouter = {
      "arbor.model": "openrouter/claude-plain",
      "arbor.providers": { openrouter: { baseUrl: `${server.origin}/v1` } },
    };
    const [, rejected] = await check(ofOpenrouter, { openrouter: "sk-bad" });
    assert.deepEqual(rejected && stateOf(rejected), ["problem", "arbor.setApiKey"]);
    assert.match(rejected?.text ?? "", /OpenRouter rejected the API key/);
    server.routes["/v1/key"] = { data: { label: "sk-or-v1-012...123" } };
    const [, accepted] = await check(ofOpenrouter, { openrouter: "sk-good" });
    assert.match(accepted?.text ?? "", /accepts the key/);
  });

  it("distinguishes a server that can't be reached from one that lists nothing", async () => {
    const gone = await startJsonServer();
    await gone.stop();
    const [, unreachable] = await check(ofAnthropic({ baseUrl: gone.origin }), { anthropic: "k" });
    assert.deepEqual(unreachable && stateOf(unreachable), ["problem", "workbench.action.openSettings"]);
    assert.match(unreachable?.text ?? "", /Could not reach Anthropic/);
    server.routes = {};
    const [, silent] = await check(ofAnthropic(), { anthropic: "k" });
    assert.equal(silent?.state, "warning");
  });

  it("names a model that belongs to no provider, and checks the one of sub-agents", async () => {
    const checks = await check({ "arbor.model": "nowhere/x", "arbor.subAgentModel": "demo/demo" });
    assert.deepEqual(checks.map(stateOf), [
      ["problem", "arbor.selectModel"],
      ["warning", "arbor.setUp"],
    ]);
  });

  it("asks each provider that is set up once", async () => {
    server.requests.length = 0;
    const raw = ofAnthropic();
    await check({ ...raw, "arbor.subAgentModel": "anthropic/other" }, { anthropic: "k" });
    assert.equal(server.requests.length, 1);
  });

  it("says when the editor has no models", async () => {
    const checks = await check({ "arbor.model": "vscode/copilot/gpt-5" });
    assert.deepEqual(checks.map(stateOf), [
      ["ok", undefined],
      ["problem", "arbor.selectModel"],
    ]);
  });
});

describe("the doctor, of the machine", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-doctor-"));
    for (const [name, mode] of Object.entries({ rg: 0o755, broken: 0o644 })) {
      await writeFile(path.join(folder, name), "#!/bin/sh\necho 'ripgrep 14.1.0'\n");
      await chmod(path.join(folder, name), mode);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const prints =
    (output: string): RunProgram =>
    async () => ({ ok: true, output });
  const fails: RunProgram = async () => ({ ok: false, problem: "it crashed" });
  const places = (setting: string, searchPath = "") => ({
    ...{ setting, searchPath, appRoot: path.join(folder, "nowhere") },
    ...{ platform: "linux" as const, arch: "x64" },
  });

  it("finds ripgrep, and says when there is none, when the setting names none, and when it does not run", async () => {
    const good = await checkRipgrep(places("", folder), prints("ripgrep 14.1.0\n"), signal);
    assert.deepEqual([good.state, good.fix], ["ok", undefined]);
    assert.match(good.text, /^ripgrep 14\.1\.0 \(.*\/rg\)$/);
    const setting = "workbench.action.openSettings";
    assert.deepEqual(stateOf(await checkRipgrep(places(""), prints(""), signal)), ["warning", setting]);
    const other = await checkRipgrep(places(path.join(folder, "broken"), folder), prints("ripgrep"), signal);
    assert.deepEqual(stateOf(other), ["warning", setting]);
    assert.match(other.text, /broken can't be run; .*\/rg is used instead/);
    assert.deepEqual(stateOf(await checkRipgrep(places("", folder), fails, signal)), ["problem", setting]);
  });

  it("finds git, and says when it is off, missing or broken", async () => {
    const found = { state: "found", path: "/usr/bin/git" } as const;
    assert.deepEqual(await checkGit(found, prints("git version 2.50.0\n"), signal), {
      ...{ title: "git", state: "ok", text: "git version 2.50.0" },
    });
    const states = [
      await checkGit({ state: "disabled" }, fails, signal),
      await checkGit({ state: "missing" }, fails, signal),
      await checkGit(found, fails, signal),
    ];
    assert.deepEqual(states.map(stateOf), [
      ["warning", "workbench.action.openSettings"],
      ["warning", "vscode.open"],
      ["warning", "vscode.open"],
    ]);
  });

  it("says where commands run, and why not in the sandbox", () => {
    const there = { isAvailable: true, program: "/usr/bin/bwrap", canDisableNamespaces: true } as const;
    const none = { isAvailable: false, reason: "The program bubblewrap (bwrap) is not installed." } as const;
    assert.deepEqual(stateOf(checkSandbox("auto", there, "linux")), ["ok", undefined]);
    assert.deepEqual(stateOf(checkSandbox("auto", none, "linux")), ["warning", "vscode.open"]);
    assert.deepEqual(stateOf(checkSandbox("auto", none, "darwin")), ["off", "workbench.action.openSettings"]);
    assert.deepEqual(stateOf(checkSandbox("required", none, "linux")), ["problem", "vscode.open"]);
    assert.deepEqual(stateOf(checkSandbox("off", there, "linux")), ["off", "workbench.action.openSettings"]);
    assert.match(checkSandbox("auto", none, "linux").text, /bubblewrap \(bwrap\) is not installed/);
  });

  it("runs the shell, and says when it does not start or its output is lost", async () => {
    const choice = { platform: "linux", preferred: "/bin/bash" } as const;
    const asked: string[] = [];
    const works: RunProgram = async (program, args) => {
      asked.push(program);
      return { ok: true, output: args.at(-1)?.replace("echo ", "") ?? "" };
    };
    assert.equal((await checkShell(choice, works, signal)).state, "ok");
    assert.deepEqual(asked, ["/bin/sh"]);
    assert.equal((await checkShell(choice, fails, signal)).state, "problem");
    assert.equal((await checkShell(choice, prints(""), signal)).state, "problem");
  });

  it("says what Restricted Mode and no folder mean", () => {
    assert.deepEqual(checkTrust({ isTrusted: true, hasFolder: true }).map(stateOf), [["ok", undefined]]);
    assert.deepEqual(checkTrust({ isTrusted: false, hasFolder: false }).map(stateOf), [
      ["warning", "workbench.trust.manage"],
      ["warning", "vscode.openFolder"],
    ]);
  });

  it("writes where chats are kept, leaves nothing there, and says when it can't", async () => {
    const storage = path.join(folder, "storage");
    const sources = { folder: storage, problems: [], countChats: async () => 3 };
    const good = await checkStorage(sources);
    assert.match(good.text, /^Chats: 3\. Free: \d+\.\d GB\. Folder: .*storage$/);
    assert.deepEqual(await readdir(storage), []);
    const moved = await checkStorage({ ...sources, problems: [new Error("EACCES")] });
    assert.deepEqual(stateOf(moved), ["warning", "arbor.showLog"]);
    // A file is where the folder should be.
    const blocked = await checkStorage({ ...sources, folder: path.join(folder, "rg") });
    assert.deepEqual(stateOf(blocked), ["problem", "arbor.showLog"]);
  });

  it("names what could not be checked, and goes on", async () => {
    const [failed] = await attempt("Storage", () => Promise.reject(new Error("no such system call")));
    assert.deepEqual(failed && [failed.title, ...stateOf(failed)], ["Storage", "problem", "arbor.showLog"]);
    assert.equal(failed?.text, "This could not be checked: no such system call");
    const both = checkTrust({ isTrusted: true, hasFolder: false });
    assert.deepEqual(await attempt("Trust", async () => both), both);
  });

  it("repeats what is wrong in the settings", () => {
    assert.equal(checkSettings([]).state, "ok");
    const bad = checkSettings(["The setting arbor.model makes no sense."]);
    assert.deepEqual(stateOf(bad), ["problem", "workbench.action.openSettings"]);
  });
});

describe("the doctor's report", () => {
  const fix = { label: "Set API Key", command: "arbor.setApiKey" };
  const checks: Check[] = [
    { title: "Model", state: "ok", text: "anthropic/x" },
    { title: "Anthropic", state: "problem", text: "said sk-canary-1234\nfor /home/kim/work", fix },
    { title: "git", state: "warning", text: "None." },
  ];
  const context = { about: ["Arbor 0.2.0 in /home/kim"], secrets: ["", "sk-canary-1234", "abc"], home: "/home/kim" };

  it("has a line for each check, and knows which line has what fix", () => {
    const { text, fixes } = formatReport(checks, context);
    const [line] = fixes;
    assert.deepEqual(
      fixes.map((each) => each.fix),
      [fix],
    );
    const lines = text.split("\n").slice(line?.line);
    assert.deepEqual(lines.slice(0, 2), ["✗ Anthropic", "   said ••• for ~/work"]);
    assert.match(text, /^Problems: 1\. Warnings: 1\.$/m);
  });

  it("breaks long texts between words", () => {
    const words = Array.from({ length: 40 }, (_, index) => `word-${index}`);
    const { text } = formatReport([{ title: "Model", state: "ok", text: words.join(" ") }], context);
    assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= 76);
    assert.deepEqual(text.match(/word-\d+/g), words);
  });

  it("holds neither secrets nor the name of the home folder", () => {
    assert.doesNotMatch(formatReport(checks, context).text, /canary|kim/);
  });

  it("says when everything works", () => {
    assert.match(formatReport(checks.slice(0, 1), context).text, /Everything works\./);
  });
});
