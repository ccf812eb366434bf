import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const file = "src/cart/cart.ts";
const first = { old_text: "export const emptyCart: Cart", new_text: "export const noCart: Cart" };
const second = { old_text: "pieceCount(cart: Cart): string", new_text: "pieceCount(cart: Cart): number" };

const answer = (words: string, turn: number, steps: Step[]): Rule => ({
  when: { lastUser: words, turn },
  reply: { steps },
});
const reading: Step = { tool: "read_file", arguments: { path: file } };
const editing = (...edits: (typeof first)[]): Step => ({ tool: "edit_file", arguments: { path: file, edits } });

describe("An edit in review when the window goes away", () => {
  const session = useSession("anthropic");
  const onDisk = () => readFile(path.join(session().workspace, file), "utf8");
  const requestCount = async () => (await session().fake.requests()).length;
  const lastRequest = async () => JSON.stringify((await session().fake.requests()).at(-1)?.body ?? "");
  const card = () => session().panel.approval(`edit_file ${file}`);
  const inCard = (name: string) => card().getByRole("button", { name, exact: true });

  let untouched = "";
  before(async () => {
    untouched = await onDisk();
  });
  beforeEach(async () => {
    await writeFile(path.join(session().workspace, file), untouched);
    await session().editor.openPanel();
    if ((await session().panel.messages.count()) > 0) await startAfresh(session());
  });

  async function reopened(how: () => Promise<void>): Promise<void> {
    await how();
    await session().editor.openPanel();
  }

  it("waits again after a reload, says what is on disk, and the resumed model gets the answers", async () => {
    const { fake, editor, panel } = session();
    const original = await onDisk();
    await fake.script(
      answer("Repair the cart", 0, [reading]),
      answer("Repair the cart", 1, [editing(first, second)]),
      answer("Repair the cart", 2, [{ text: "Repaired." }]),
      answer("And now?", 0, [{ text: "I see." }]),
    );
    await ask(panel, "Repair the cart");
    await inCard("Accept hunk 1").click();
    const written = original.replace(first.old_text, first.new_text);
    await eventually(async () => assert.equal(await onDisk(), written));
    const requests = await requestCount();

    await reopened(() => editor.reload());
    await inCard("Accept hunk 2").waitFor();
    await inCard("Keep hunk 1").waitFor();
    await card().getByText("1 of 2 hunks are on disk").waitFor();
    // Lenses are there for the lines in view alone.
    const lenses = [
      [13, ["Keep", "Undo"]],
      [36, ["Accept", "Reject"]],
    ] as const;
    for (const [line, titles] of lenses) {
      await editor.openFile("cart.ts", line);
      for (const hasText of titles) {
        await editor.page.locator(".codelens-decoration a", { hasText }).first().waitFor();
      }
    }
    assert.equal(await onDisk(), written);

    await panel.button("Resume").click();
    await panel.frame.getByRole("note").filter({ hasText: "The run continues once you have answered" }).waitFor();
    assert.equal(await requestCount(), requests, "nothing is asked of the model before the answer");
    await inCard("Reject hunk 2").click();
    await panel.conversation.getByText("Repaired.").waitFor();
    const told = await lastRequest();
    assert.match(told, /Written before the interruption, and in the file.*noCart/);
    assert.match(told, /Rejected by the user.*pieceCount/);
    assert.doesNotMatch(told, /before it gave a result/);

    await inCard("Undo").click();
    await eventually(async () => assert.equal(await onDisk(), original));
    await card().waitFor({ state: "detached" });
    await ask(panel, "And now?");
    await panel.conversation.getByText("I see.").waitFor();
    assert.match(await lastRequest(), /then undone by the user/);
  });

  for (const what of ["host", "server"] as const) {
    it(`is named as written when the ${what} is killed right after the write`, async () => {
      const { fake, editor, panel } = session();
      const original = await onDisk();
      await fake.script(
        answer("Repair it", 0, [reading]),
        answer("Repair it", 1, [editing(first)]),
        answer("Repair it", 2, [{ text: "Repaired." }]),
      );
      await ask(panel, "Repair it");
      await card().waitFor();
      const crash = await editor.prepareCrash(what);
      await inCard("Accept").click();
      const written = original.replace(first.old_text, first.new_text);
      while ((await onDisk()) !== written) await new Promise((resolve) => setImmediate(resolve));

      await reopened(crash);
      await card().getByText("This edit is on disk.").waitFor();
      await panel.button("Resume").click();
      await panel.conversation.getByText("Repaired.").waitFor();
      assert.match(await lastRequest(), /Written before the interruption, and in the file.*noCart/);
      await inCard("Undo").click();
      await eventually(async () => assert.equal(await onDisk(), original));
    });
  }

  const task = (agent: string, words: string) => ({ agent, task: words, context: words });

  it("of a sub-agent in a chat that no one looks at waits again after the server is killed", async () => {
    const { fake, editor, panel } = session();
    const original = await onDisk();
    await fake.script(
      answer("Have it repaired", 0, [{ tool: "delegate_to_agent", arguments: task("edit", "mend the cart") }]),
      answer("Have it repaired", 1, [{ text: "So it is." }]),
      answer("mend the cart", 0, [reading]),
      answer("mend the cart", 1, [editing(first)]),
      answer("mend the cart", 2, [{ text: "It is mended." }]),
    );
    await ask(panel, "Have it repaired");
    await card().waitFor();
    const requests = await requestCount();
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });

    await reopened(() => editor.crash("server"));
    await editor.page.locator(".statusbar-item", { hasText: "1 waiting" }).waitFor();
    await editor.runCommand("Arbor: Show Pending Requests");
    await card().getByText("mend the cart").waitFor();
    await card().getByText("This edit still waits for you.").waitFor();
    assert.equal(await onDisk(), original);
    await inCard("Accept").click();
    await eventually(async () => assert.equal(await onDisk(), original.replace(first.old_text, first.new_text)));
    await card().waitFor({ state: "detached" });
    assert.equal(await requestCount(), requests, "an answer alone starts no run");
    await panel.button("Resume").click();
    await panel.conversation.getByText("So it is.").waitFor();
    const [own, mains] = (await fake.requests()).slice(-2).map(({ body }) => JSON.stringify(body));
    assert.match(own ?? "", /Accepted by the user and written.*noCart/);
    assert.match(mains ?? "", /It is mended\./);
  });

  it("that no one is asked about is named as written when the host is killed right after the write", async () => {
    const { fake, editor, panel } = session();
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name: "Auto-edit", exact: true }).click();
    const original = await onDisk();
    await fake.script(
      answer("Just repair it", 0, [reading]),
      answer("Just repair it", 1, [{ gate: "writing" }, editing(first)]),
      answer("Just repair it", 2, [{ text: "Repaired at once." }]),
    );
    await ask(panel, "Just repair it");
    await fake.reached("writing");
    const crash = await editor.prepareCrash("host");
    await fake.release("writing");
    while ((await onDisk()) === original) await new Promise((resolve) => setImmediate(resolve));

    await reopened(crash);
    const pending = panel.frame.getByRole("region", { name: "Pending edits" });
    await pending.getByText("1 file").waitFor();
    await panel.button("Resume").click();
    await panel.conversation.getByText("Repaired at once.").waitFor();
    assert.match(await lastRequest(), /Written before the interruption, and in the file.*noCart/);
    await panel.button("Undo all").click();
    await eventually(async () => assert.equal(await onDisk(), original));
  });
});
