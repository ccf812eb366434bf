import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { useSession } from "./wire/session.ts";

const file = "src/orders/receipt.ts";
const [from, to] = ["const width = 48;", "const width = 60;"];
const tasks = ["left", "right"].map((side) => ({ agent: "edit", task: `Widen it, ${side} hand`, context: side }));

describe("An edit that two agents propose", () => {
  const session = useSession("anthropic");

  it("is one card, whose answer both get", async () => {
    const { fake, panel, workspace } = session();
    const textNow = () => readFile(path.join(workspace, file), "utf8");
    const edit = { path: file, edits: [{ old_text: from, new_text: to }] };
    await fake.script(
      {
        when: { lastUser: "Widen the receipt", turn: 0 },
        reply: { steps: [{ tool: "spawn_agents", arguments: { tasks } }] },
      },
      { when: { lastUser: "Widen the receipt", turn: 1 }, reply: { steps: [{ text: "Both are done." }] } },
      { when: { lastUser: "Widen it", turn: 0 }, reply: { steps: [{ tool: "read_file", arguments: { path: file } }] } },
      { when: { lastUser: "Widen it", turn: 1 }, reply: { steps: [{ tool: "edit_file", arguments: edit }] } },
      { when: { lastUser: "Widen it", turn: 2 }, reply: { steps: [{ text: "Widened." }] } },
    );
    await ask(panel, "Widen the receipt");
    const card = panel.approval("edit_file");
    await eventually(async () =>
      assert.match(
        (await card.textContent()) ?? "",
        /Widen it, (left|right) hand and Widen it, (left|right) hand propose an edit/,
      ),
    );
    assert.equal(await card.count(), 1);
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    await panel.conversation.getByText("Both are done.").waitFor();
    assert.ok((await textNow()).includes(to));
    const heard = (await fake.requests())
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes(`Edited ${file}: 1 change`));
    for (const side of ["left", "right"])
      assert.ok(
        heard.some((body) => body.includes(`Widen it, ${side} hand`)),
        side,
      );
    assert.equal(await panel.approval("edit_file").count(), 0);
  });
});
