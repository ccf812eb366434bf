import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { useSession } from "./wire/session.ts";

const file = "src/orders/receipt.ts";
/** As text: the types of pages are not known here. */
const coloursScript = `(() => {
  const tokens = [...document.querySelectorAll("[class^=token-]")];
  return [...new Set(tokens.map((token) => getComputedStyle(token).color))];
})()`;

describe("Code of an answer, in an editor", () => {
  const session = useSession("anthropic");

  it("is coloured under the page's policy, and applied to the file that it names once the edit is accepted", async () => {
    const { fake, panel, editor, workspace } = session();
    const textNow = () => readFile(path.join(workspace, file), "utf8");
    const original = await textNow();
    const changed = original.replace("const width = 48;", "const width = 60;");
    assert.notEqual(changed, original);
    const answer = `Like this:\n\n\`\`\`ts ${file}\n${changed}\`\`\`\n\nand not outside:\n\n\`\`\`ts ../outside.ts\nlet a = 1;\n\`\`\``;
    await fake.script({ when: {}, reply: { steps: [{ text: answer }] } });
    await ask(panel, "Widen it");
    const blocks = panel.conversation.locator(".code-block");
    await blocks.nth(0).locator(".token-keyword").first().waitFor();
    const colours: unknown = await panel.frame.locator("body").evaluate(coloursScript);
    assert.ok(Array.isArray(colours) && colours.length > 3, String(colours));

    await blocks.nth(0).hover();
    await blocks.nth(0).getByRole("button", { name: "Apply as edit" }).click();
    const card = panel.approval("apply_code");
    await card.waitFor();
    assert.equal(await textNow(), original);
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    await eventually(async () => assert.equal(await textNow(), changed));
    await card.waitFor({ state: "detached" });

    await blocks.nth(1).hover();
    await blocks.nth(1).getByRole("button", { name: "Apply as edit" }).click();
    await editor.page.getByText("is outside the workspace").first().waitFor();
    assert.equal(await panel.approval("apply_code").count(), 0);
  });
});
