import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import type { HostMessage, LogEntry } from "../../../src/protocol/messages.ts";
import { testFolder } from "../../extension/sessions/support/folder.ts";
import { checkKilledRun, shownOf } from "../../extension/sessions/support/killedRunOracle.ts";
import { type Asked, type Call, startStreamingServer } from "../../extension/sessions/support/streamingServer.ts";
import { receivedMessage } from "../../support/hostMessages.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import type { Editor } from "../editor.ts";
import type { ArborPanel } from "../panel.ts";
import { ask } from "../run.ts";
import { openSharedEditor } from "../sharedEditor.ts";
import { fakeModelSettings, keyEnvironment } from "./fakeModel.ts";
import { pictureFailures } from "./pictureFailures.ts";

const edited = "a.txt";
const command = "node slow.mjs";
const slots = 2_000;

/** Prints for a second and a half. */
const slowScript = `for (let line = 1; line <= 15; line++) {
  console.log("line " + line);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
`;

/** main hands on to edit, which hands on to explore; the first two edit and run commands. The run takes some 20 s. */
function callsOf({ messages }: Asked, count: number): Call[] {
  const said = JSON.stringify(messages[0]);
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const level = said.includes("Third level") ? 3 : said.includes("Second level") ? 2 : 1;
  if (level === 3) return turn < 2 ? [{ name: "list_files", input: {} }] : [];
  if (turn >= 3) return [];
  const slot = `slot ${count}\n`;
  const edits = [{ old_text: slot, new_text: `${slot}hunk ${count}\n` }];
  const [agent, task] = level === 1 ? ["edit", "Second level"] : ["explore", "Third level"];
  const handOn = { name: "delegate_to_agent", input: { agent, task: `${task} ${count}`, context: "" } };
  const edit = { name: "edit_file", input: { path: edited, edits } };
  const run = { name: "run_command", input: { command } };
  return count % 2 === 0 ? [handOn, edit] : [edit, run, handOn];
}

const crash = fc.record({
  what: fc.constantFrom("host" as const, "server" as const),
  afterMs: fc.integer({ min: 500, max: 12_000 }),
});

describe("A window whose extension host or server is killed in the middle of a run of three levels", () => {
  let home: string;
  let workspace: string;
  let editor: Editor;
  let server: Awaited<ReturnType<typeof startStreamingServer>>;
  /** Of all chats, as the panel got them. */
  const posted: { chatId: string; entry: LogEntry }[] = [];
  /** Messages that are not as the protocol says. */
  const strange: unknown[] = [];
  pictureFailures(() => editor);

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    workspace = path.join(home, "workspace");
    await cp(path.join(import.meta.dirname, "../../fixtures/sample-workspace/docs"), workspace, { recursive: true });
    await writeFile(
      path.join(workspace, edited),
      Array.from({ length: slots }, (_, slot) => `slot ${slot}\n`).join(""),
    );
    await writeFile(path.join(workspace, "slow.mjs"), slowScript);
    server = await startStreamingServer(callsOf);
    const settings = {
      ...fakeModelSettings({ url: server.url }, "anthropic"),
      "arbor.permissions.allow": [`run_command(${command})`],
      // What is left of it is looked for from outside.
      "arbor.commands.sandbox": "off",
    };
    editor = await openSharedEditor({ workspace, settings, env: keyEnvironment, width: 480 });
    await editor.page.exposeFunction("arborPosted", (json: string) => {
      try {
        posted.push(...entriesIn(receivedMessage(json)));
      } catch (error) {
        strange.push(error);
      }
    });
    await editor.page.addInitScript(reportMessages);
    await editor.reload();
    await editor.openPanel();
  });
  after(async () => {
    await editor.close();
    await server[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it("shows all that was finished once, names every hunk on disk, and has the last second at most to lose", async () => {
    const { numRuns, seed = 1 } = tries("killedEditors");
    for (const [round, { what, afterMs }] of fc.sample(crash, { seed, numRuns }).entries()) {
      try {
        await playCrash(`Round ${round}`, what, afterMs);
      } catch (error) {
        const when = `The ${what} was killed after ${afterMs} ms (seed ${seed}, round ${round}).`;
        throw new Error(`${when}\n${error instanceof Error ? error.stack : String(error)}`, { cause: error });
      }
    }
  }).timeout(timeLimitMs(300_000));

  async function playCrash(question: string, what: "host" | "server", afterMs: number): Promise<void> {
    const { panel } = editor;
    const before = await hunksIn(workspace);
    posted.length = 0;
    await ask(panel, question);
    await panel.conversation
      .getByText(/Answer \d+ says/)
      .first()
      .waitFor();
    await acceptFor(panel, afterMs);
    await using left = await testFolder();
    await editor.crash(what, async () => {
      await cp(await sessionsOf(editor), left.path, { recursive: true });
    });
    assert.deepEqual(strange, []);
    const entries = shownIn(posted);
    const [{ chatId: chat } = { chatId: "" }] = posted;
    const hunksOnDisk = (await hunksIn(workspace)).filter((hunk) => !before.includes(hunk));
    const shown = entries.map(shownOf);
    await checkKilledRun(left.storage(), { chat, shown, hunksOnDisk });

    await editor.openPanel();
    await panel.problems.filter({ hasText: "This run was interrupted" }).waitFor();
    const conversation = await panel.conversation.innerText();
    for (const text of finishedAnswers(entries)) {
      assert.equal(conversation.split(text).length - 1, 1, `"${text}" is shown once`);
    }
    await answerRest(panel);
    assert.deepEqual(await failuresLogged(editor), []);
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
  }
});

/** Runs in every frame before its own code does: reports to the test what the panel gets. */
function reportMessages(): void {
  interface Target {
    arborPosted?(json: string): void;
    addEventListener(type: string, listener: unknown, ...rest: unknown[]): void;
  }
  // The page's own globals: this function's text is what crosses over, and this project has no DOM types here.
  const target = globalThis as unknown as Target;
  const original = target.addEventListener;
  target.addEventListener = function addEventListener(type, listener, ...rest) {
    if (type === "message" && typeof listener === "function") {
      original.call(this, type, (event: { data: unknown }) => {
        if (typeof event.data === "string" && /^\{"type":"(chat|entries)"/.test(event.data))
          target.arborPosted?.(event.data);
      });
    }
    original.call(this, type, listener, ...rest);
  };
}

const entriesIn = (message: HostMessage) =>
  message.type === "chat" || message.type === "entries"
    ? message.entries.map((entry) => ({ chatId: message.chatId, entry }))
    : [];

/** Each entry of the chat once, in order. */
function shownIn(posted: readonly { chatId: string; entry: LogEntry }[]): LogEntry[] {
  const bySeq = new Map(posted.map(({ entry }) => [entry.seq, entry]));
  return [...bySeq.values()].toSorted((one, other) => one.seq - other.seq);
}

/** The beginnings of what main has said to its end. */
function finishedAnswers(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (!("agent" in entry) || entry.agent.type !== "message_end" || entry.agent.agent.depth > 0) return [];
    const { message } = entry.agent;
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part) =>
      part.type === "text" ? (/^Answer \d+ says/.exec(part.text)?.[0] ?? []) : [],
    );
  });
}

/** The user accepts what comes, until it is time; what comes in the last second waits. */
async function acceptFor({ approvals }: ArborPanel, ms: number): Promise<void> {
  const until = performance.now() + ms;
  const accept = approvals.getByRole("button", { name: /^(Accept|Run)$/ }).first();
  while (performance.now() < until) {
    if (performance.now() < until - 1_000 && (await accept.isVisible())) {
      await accept.click({ timeout: 500 }).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What waits again after the crash is rejected, so that the next round begins with nothing open. */
async function answerRest({ approvals }: ArborPanel): Promise<void> {
  const reject = approvals.getByRole("button", { name: /^(Reject|Keep)$/ }).first();
  for (let tried = 0; tried < 10 && (await reject.isVisible()); tried++) {
    await reject.click({ timeout: 2_000 }).catch(() => undefined);
  }
}

async function hunksIn(workspace: string): Promise<string[]> {
  const lines = (await readFile(path.join(workspace, edited), "utf8")).split("\n");
  return lines.filter((line) => line.startsWith("hunk "));
}

/** What went wrong in the extension host and was not expected: the user only reads that there was something. */
async function failuresLogged({ home }: Editor): Promise<string[]> {
  const names = (await readdir(home, { recursive: true })).filter((name) => /[\\/]Arbor[^\\/]*\.log$/i.test(name));
  assert.ok(names.length > 0, "Arbor has a log.");
  const texts = await Promise.all(names.map((name) => readFile(path.join(home, name), "utf8")));
  return texts.filter((text) => text.includes("[error]"));
}

/** The folder with the sessions of the one workspace. */
async function sessionsOf({ home }: Editor): Promise<string> {
  const user = path.join(home, "user");
  const file = (await readdir(user, { recursive: true })).find((name) => /sessions[\\/].*\.jsonl$/.test(name));
  return path.join(user, path.dirname(file ?? assert.fail("There is no session.")));
}
