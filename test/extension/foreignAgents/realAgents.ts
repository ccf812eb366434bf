import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../../src/agent/index.ts";
import type { TreeNode } from "../../../src/agent/tree.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import type { HostState } from "../../../src/protocol/hostState.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { installedPackage } from "../../support/installedPackage.ts";
import { arrangeDelegations, changesIn, type DelegationOptions } from "./delegations.ts";

export const usage = { input: 100, output: 10 };
export const variables = [
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_API_KEY",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  "CODEX_KEY",
];

/** How a program is started, and what it has to find at home. */
export interface Program {
  commandLine(): Promise<string[]>;
  /** Variables of its own. */
  environment?(url: string): Record<string, string>;
  prepare?(o: { home: string; url: string }): Promise<void>;
}

const adapter = (name: string, version: string): Program => ({
  commandLine: async () => [
    process.execPath,
    join(await installedPackage(`@agentclientprotocol/${name}`, version), "dist", "index.js"),
  ],
});

/** A program that was installed, with a home and a folder of its own. */
export interface Place {
  command: string;
  args: string[];
  home: string;
  folder: string;
  file: string;
  provider: FakeProvider;
  environment: Readonly<Record<string, string | undefined>>;
  arrange(tasks: string[], options?: DelegationOptions): ReturnType<typeof arrangeDelegations>;
}

export function place(name: string, version: string, program: Program = adapter(name, version)): Place {
  const made = {} as Place; // Filled before the first test.
  before(async function () {
    // Hundreds of megabytes, the first time.
    this.timeout(600_000);
    [made.command = "", ...made.args] = await program.commandLine();
    made.provider = await startFakeProvider();
  });
  beforeEach(async () => {
    const { provider } = made;
    await provider.reset();
    const base = await realpath(await mkdtemp(join(tmpdir(), "arbor-real-")));
    const home = join(base, "home");
    const folder = join(base, "folder");
    for (const path of [home, folder, join(home, "tmp"), join(home, ".codex"), join(home, ".claude")]) {
      await mkdir(path, { recursive: true });
    }
    await writeFile(join(folder, "a.txt"), "one\ntwo\nthree\n");
    await writeFile(join(home, ".codex", "config.toml"), codexSettings(provider.url));
    // Codex makes no sandbox where its home is in the temporary folder.
    const paths = { PATH: process.env.PATH, HOME: home, TMPDIR: join(home, "tmp") };
    const environment = {
      ...{ ...paths, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "key", CODEX_KEY: "key" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...program.environment?.(provider.url),
    };
    const { command, args } = made;
    const own = Object.keys(program.environment?.(provider.url) ?? {});
    const setting = { Tester: { command, args, env: [...variables, ...own] } };
    await program.prepare?.({ home, url: provider.url });
    Object.assign(made, { home, folder, file: join(folder, "a.txt"), environment });
    made.arrange = (tasks, options) =>
      arrangeDelegations(tasks, { setting, folder, environment, changes: changesIn(folder), ...options });
  });
  afterEach(async () => {
    const { home } = made;
    const left = readProcesses().filter((row) => row.hasInEnvironment(home));
    assert.deepEqual(
      left.map(({ pid }) => pid),
      [],
    );
    await rm(join(home, ".."), { recursive: true, force: true });
  });
  after(async () => made.provider?.stop());
  return made;
}

const codexSettings = (url: string) => `
model = "gpt-5.3-codex"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "CODEX_KEY"
request_max_retries = 0
stream_max_retries = 0
`;

/** Resolves when it has said this. */
export async function said(agent: Agent, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let all = "";
  const stop = agent.subscribe((event) => {
    if (event.type !== "message_update" || !("delta" in event.delta)) return;
    all += event.delta.delta;
    if (all.includes(text)) resolve();
  });
  await promise;
  stop();
}

/** Its rows: names, states and calls, children below their parents. */
export function rows(nodes: Readonly<Record<string, TreeNode>>, name = "Tester"): string[] {
  const root = Object.values(nodes).find(({ meta }) => meta.name === name);
  const linesOf = (node: TreeNode | undefined, indent: string): string[] => {
    if (node === undefined) return [];
    const calls = Object.values(node.tools).map(({ toolName, status }) => `${indent}  ${toolName} ${status}`);
    const children = node.children.flatMap((id) => linesOf(nodes[id], `${indent}  `));
    return [`${indent}${node.meta.name} ${node.status}`, ...calls, ...children];
  };
  return linesOf(root, "");
}

/** The chat as it is read back from its log. */
export const hostOf = ({ chat }: ReturnType<typeof arrangeDelegations>): HostState =>
  JSON.parse(JSON.stringify(chat.host));

export const bodies = async (provider: FakeProvider) =>
  (await provider.requests()).map(({ body }) => JSON.stringify(body));

export const answers = (text: string) => ({ steps: [{ text }], usage });

/** It is stopped while it waits for the user. */
export async function stopsWhileAsked({ arrange }: Place): Promise<void> {
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  let isWithdrawn = false;
  const allows = (_request: unknown, signal: AbortSignal) => {
    resolve();
    return new Promise<boolean>((answer) =>
      signal.addEventListener("abort", () => {
        isWithdrawn = true;
        answer(false);
      }),
    );
  };
  const { worker, tree } = arrange([], { allows });
  const agent = worker();
  const run = agent.prompt("change it");
  await isAsked;
  await agent.abort();
  await assert.rejects(run, { code: "aborted" });
  assert.ok(isWithdrawn);
  const [node] = Object.values(tree().nodes);
  assert.equal(node?.status, "aborted");
  assert.ok(Object.values(node?.tools ?? {}).every(({ status }) => status !== "running"));
}

/** Its answer to something that is said in the middle of another one. */
export async function steered({ arrange, provider }: Place): Promise<string> {
  const agent = arrange([]).worker();
  const run = agent.prompt("go straight on");
  await said(agent, "Half of it.");
  agent.steer("turn left");
  await provider.release("on");
  return (await run).text ?? "";
}
