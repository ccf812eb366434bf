/** A process that works on a folder until it is killed, and says what it has done as soon as it has. */
import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ChangeStore } from "../../../../src/extension/changes/changeStore.ts";
import { editsOnDisk, PendingEditsFile } from "../../../../src/extension/changes/persistedEdits.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import { diskStorage } from "../../../../src/extension/changes/rewind/storage.ts";
import { WrittenReviews } from "../../../../src/extension/changes/writtenReviews.ts";
import { openSessionStorage } from "../../../../src/extension/sessions/storage.ts";
import { TextWorkspace } from "../../changes/support/textWorkspace.ts";
import { chatLog } from "./chatLog.ts";
import { imagedFolder } from "./imagedFolder.ts";
import { endlessLog, movedIds } from "./killedLogs.ts";
import { writeSession } from "./writeSession.ts";

const [kind = "", folder = ""] = process.argv.slice(2);
const say = (done: unknown) => void writeSync(1, `${JSON.stringify(done)}\n`);
const storage = openSessionStorage({
  folder,
  onTrouble: (message) => say({ trouble: message }),
  snapshotEvery: { bytes: 10_000, entries: 20, maxShare: 1 },
});

/** The same log each time: who looks at the file afterwards knows what it has to hold. */
async function append(): Promise<void> {
  const writer = await storage.create("a");
  for (const entry of endlessLog()) {
    writer.append(entry);
    say(entry.seq);
  }
}

async function index(): Promise<void> {
  for (let count = 0; ; count++) {
    await writeSession(storage, `chat-${count}`, chatLog().run(`question ${count}`));
    say((await storage.list()).length);
  }
}

async function move(): Promise<void> {
  for (const id of movedIds) await writeSession(storage, id, chatLog().run(id));
  say({ type: "ready" });
  for (let count = 0; ; count++) {
    const id = movedIds[count % movedIds.length] ?? "";
    await storage.remove(id);
    say({ type: "removed", id });
    await storage.restore(id);
    say({ type: "restored", id });
    await storage.rename(id, `title ${count}`);
    say({ type: "renamed", id, title: `title ${count}` });
  }
}

async function edits(): Promise<void> {
  const path = "a.ts";
  const text = Array.from({ length: 400 }, (_, line) => `line ${line}\n`).join("");
  const workspace = new TextWorkspace({ [path]: text });
  const store = new ChangeStore();
  const file = new PendingEditsFile({
    store,
    saved: editsOnDisk(folder),
    currentTextOf: async () => workspace.files.get(path),
    onDropped: (dropped) => say({ trouble: dropped.length }),
    onError: (error) => say({ trouble: String(error) }),
    typingRestsMs: 0,
  });
  await file.load();
  let ids = 0;
  const reviews = new WrittenReviews({
    store,
    workspace,
    newId: () => `e${++ids}`,
    inTurn: (step) => step(),
    onceSaved: () => file.flush(),
  });
  const meta = { id: "main", prefix: "", depth: 0 };
  for (let line = 0; line < 400; line += 2) {
    const before = workspace.files.get(path) ?? "";
    const after = before.replace(`line ${line}\n`, `edited ${line}\n`);
    const changes = [{ path, before, after }];
    const proposal = { callId: "call", toolName: "edit_file", agent: meta, agentPath: ["main"], changes };
    await reviews.apply(proposal, { agentIds: ["main"], isPending: true }, new AbortController().signal);
    say(line);
  }
}

async function checkpoints(): Promise<void> {
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  for (let count = 0; count < 5; count++) writeFileSync(join(files, `${count}`), `original ${count}`);
  const warn = (message: string) => say({ trouble: message });
  const kept = new Checkpoints({ storage: diskStorage(join(folder, "kept")), files: imagedFolder(files), warn });
  for (let count = 0; ; count++) {
    kept.begin(`message ${count}`);
    const path = `${count % 5}`;
    await kept.beforeChange([path]);
    const before = readFileSync(join(files, path), "utf8");
    say({ messageId: `message ${count}`, path, before });
    writeFileSync(join(files, path), `changed by ${count}`);
  }
}

const kinds: Record<string, () => Promise<void>> = { append, index, move, edits, checkpoints };
void kinds[kind]?.();
