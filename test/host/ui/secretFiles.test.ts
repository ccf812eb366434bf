import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { ask, seeThrough } from "../run.ts";
import { readStep, turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

describe("Files that hold secrets, in an editor that writes edits unasked", () => {
  const session = useSession("anthropic", async (workspace) => {
    await writeFile(path.join(workspace, ".env"), "SHOP_TOKEN=sk-0815\n");
    await writeFile(path.join(workspace, ".env.example"), "SHOP_TOKEN=\n");
    await symlink(".env", path.join(workspace, "notes.txt"));
    await mkdir(path.join(workspace, ".git"));
    await writeFile(path.join(workspace, ".git/config"), "[remote]\n  url = https://me:sk-0815@example.com/shop\n");
  });
  beforeEach(async () => {
    await startAfresh(session());
    const mode = session().panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    if ((await mode.innerText()).includes("Auto-edit")) return;
    await mode.click();
    await mode.getByRole("option", { name: "Auto-edit", exact: true }).click();
  });
  const sent = async () => JSON.stringify((await session().fake.requests()).map(({ body }) => body));

  it("are read once the user allows it, one after the other, also through a link", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Look", 0, [readStep(".env.example"), readStep("notes.txt")]),
      turn("Look", 1, [readStep(".git/config")]),
      turn("Look", 2, [readStep(".env")]),
      turn("Look", 3, [{ text: "Seen one." }]),
    );
    await ask(panel, "Look");
    const link = panel.approval("read_file notes.txt");
    await link.getByText("a link to .env").waitFor();
    assert.match(await link.innerText(), /main wants to read/);
    await link.getByRole("button", { name: "Reject", exact: true }).click();
    const config = panel.approval("read_file .git/config");
    await config.getByRole("textbox", { name: "Reject with feedback…" }).fill("the remote is none of your business");
    await config.getByRole("button", { name: "Reject", exact: true }).click();
    const env = panel.approval("read_file .env");
    await env.waitFor();
    assert.ok(!(await sent()).includes("sk-0815"), "a secret went to the model unasked");
    await env.getByRole("button", { name: "Allow", exact: true }).click();
    await panel.conversation.getByText("Seen one.").waitFor();
    const requests = await sent();
    assert.match(requests, /SHOP_TOKEN=sk-0815/);
    assert.match(requests, /none of your business/);
    assert.ok(!requests.includes("me:sk-0815"));
  });

  it("are left out of a search until they are allowed for the chat", async () => {
    const { fake, panel } = session();
    const search: Step = { tool: "search_text", arguments: { query: "SHOP_TOKEN" } };
    await fake.script(
      turn("Find", 0, [search]),
      turn("Find", 1, [readStep(".env")]),
      turn("Find", 2, [search, readStep(".env")]),
      turn("Find", 3, [{ text: "Found." }]),
    );
    await ask(panel, "Find");
    await panel.approval("read_file .env").waitFor();
    const before = await sent();
    assert.match(before, /Not searched, since they may hold secrets: \.env/);
    assert.ok(!before.includes("sk-0815"));
    await panel.button("More answers").click();
    await panel.frame.getByRole("menuitem", { name: "All agents in this chat" }).click();
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
    const last = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(last, /1: SHOP_TOKEN=sk-0815/);
  });
});
