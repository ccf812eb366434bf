import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Attachment, ImageAttachment } from "../../../src/protocol/attachments.ts";
import { imageSize } from "../../../src/webview/features/composer/readPicture.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** A picture that the page paints. Noise can't be compressed, so that it has about `width * height * 3` bytes as PNG. */
interface Painted {
  width: number;
  height: number;
  noise?: boolean;
  type?: string;
  name?: string;
}

/** Pastes or drops in the page, as a user does: the panel sees a transfer with files, texts or addresses. */
async function transfer(
  page: Page,
  how: "paste" | "drop",
  what: { pictures?: Painted[]; files?: { name: string; type: string; text: string }[]; data?: Record<string, string> },
): Promise<void> {
  await page.evaluate(
    async ({ how, what }) => {
      const given = new DataTransfer();
      for (const { width, height, noise, type = "image/png", name = "image.png" } of what.pictures ?? []) {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.fillStyle = "teal";
        context.fillRect(0, 0, width, height);
        if (noise) {
          const row = context.createImageData(width, Math.min(height, 256));
          for (let at = 0; at < row.data.length; at += 65_536) {
            crypto.getRandomValues(row.data.subarray(at, Math.min(row.data.length, at + 65_536)));
          }
          for (let at = 3; at < row.data.length; at += 4) row.data[at] = 255;
          // Each strip shifted by its own width, so that no two are the same.
          for (let y = 0; y < height; y += 256) context.putImageData(row, (y * 7) % width, y);
          for (let y = 0; y < height; y += 256) context.putImageData(row, ((y * 7) % width) - width, y);
        }
        given.items.add(new File([await canvas.convertToBlob({ type })], name, { type }));
      }
      for (const { name, type, text } of what.files ?? []) given.items.add(new File([text], name, { type }));
      for (const [type, text] of Object.entries(what.data ?? {})) given.setData(type, text);
      const target = document.querySelector(".text-area")?.shadowRoot?.querySelector("textarea");
      const options = { bubbles: true, composed: true, cancelable: true };
      target?.dispatchEvent(
        how === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: given })
          : new DragEvent("drop", { ...options, dataTransfer: given }),
      );
    },
    { how, what },
  );
}

const removeButtons = ({ page }: PanelPage) => page.getByRole("button", { name: /^Remove / });

async function sentAttachments(panel: PanelPage): Promise<Attachment[]> {
  await panel.page.getByRole("button", { name: "Send", exact: true }).click();
  const sent = (await panel.intents()).find((intent) => intent.type === "send");
  assert.ok(sent?.type === "send");
  return sent.attachments;
}

function sizeOf({ data }: ImageAttachment) {
  return imageSize(Buffer.from(data, "base64"));
}

describe("pictures in the panel", function () {
  this.timeout(120_000);
  const show = usePanel();

  it("come by paste, in the size that models see, and go with the message", async () => {
    const panel = await show("idle");
    await transfer(panel.page, "paste", { pictures: [{ width: 3_000, height: 1_500, name: "shot.png" }] });
    await removeButtons(panel).first().waitFor();
    const [picture] = await sentAttachments(panel);
    assert.ok(picture?.kind === "image");
    assert.equal(picture.name, "shot.png");
    assert.equal(picture.mimeType, "image/png");
    const { width = 0, height = 0 } = sizeOf(picture) ?? {};
    assert.ok(width === 1_568 && Math.abs(height - 784) <= 1, `${width} × ${height}`);
    assert.deepEqual([panel.problems, panel.strangeRequests], [[], []]);
  });

  it("that are small stay as large as they are", async () => {
    const panel = await show("idle");
    await transfer(panel.page, "paste", { pictures: [{ width: 40, height: 30 }] });
    await removeButtons(panel).first().waitFor();
    const [picture] = await sentAttachments(panel);
    assert.ok(picture?.kind === "image");
    assert.deepEqual(sizeOf(picture), { width: 40, height: 30 });
  });

  it("of 30 MB are made small, while the panel goes on drawing", async () => {
    const panel = await show("idle");
    const { page } = panel;
    await page.evaluate(() => {
      const watch = { longest: 0, size: 0 };
      Object.assign(globalThis, { watch });
      const slice = Blob.prototype.slice;
      Blob.prototype.slice = function (...args) {
        watch.size = Math.max(watch.size, this.size);
        let last = performance.now();
        const tick = () => {
          const now = performance.now();
          watch.longest = Math.max(watch.longest, now - last);
          last = now;
          setTimeout(tick, 5);
        };
        tick();
        return slice.apply(this, args);
      };
    });
    await transfer(page, "drop", { pictures: [{ width: 3_400, height: 3_200, noise: true, name: "photo.png" }] });
    await removeButtons(panel).first().waitFor({ timeout: 60_000 });
    const watch = await page.evaluate(() => Reflect.get(globalThis, "watch") as { longest: number; size: number });
    assert.ok(watch.size > 30_000_000, `the picture had ${watch.size} bytes`);
    assert.ok(watch.longest < 1_500, `the page stood still for ${Math.round(watch.longest)} ms`);
    const [picture] = await sentAttachments(panel);
    assert.ok(picture?.kind === "image");
    assert.equal(picture.mimeType, "image/jpeg");
    assert.ok(picture.data.length < 1_400_000);
    assert.ok((sizeOf(picture)?.width ?? 0) <= 1_568);
  });

  it("that can't be decoded, or are no pictures, are refused in one sentence", async () => {
    const panel = await show("idle");
    const { page } = panel;
    await transfer(page, "drop", { files: [{ name: "broken\u202e.png", type: "image/png", text: "not a picture" }] });
    await page
      .getByText("broken\\u{202e}.png can't be read as a picture. Attach a PNG, JPEG, WebP or GIF file.")
      .waitFor();
    await transfer(page, "drop", { files: [{ name: "a.bin", type: "application/octet-stream", text: "a\0b" }] });
    await page.getByText("a.bin is neither text nor a picture, so it can't be attached.").waitFor();
    assert.equal(await removeButtons(panel).count(), 0);
    await page.getByRole("textbox", { name: "Ask Agent" }).fill("never mind");
    await panel.drawn();
    assert.equal(await page.getByText("could be attached").count(), 0);
  });

  it("larger than 50 MB are refused before they are read", async () => {
    const panel = await show("idle");
    await panel.page.evaluate(() => {
      const given = new DataTransfer();
      given.items.add(new File([new Uint8Array(51 * 1024 * 1024)], "huge.png", { type: "image/png" }));
      const options = { bubbles: true, composed: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer: given }));
    });
    await panel.page.getByText("huge.png is larger than 50 MB. Attach a smaller picture.").waitFor();
  });

  it("are no more than ten for one message", async () => {
    const panel = await show("idle");
    // Each another size: the same picture is not attached twice.
    const pictures = Array.from({ length: 11 }, (_, index) => ({ width: 20 + index, height: 20 }));
    await transfer(panel.page, "paste", { pictures });
    await panel.page.getByText("At most 10 pictures go with one message.").waitFor();
    assert.equal((await sentAttachments(panel)).length, 10);
  });

  it("are reported at once as of no use to a model that can't be shown any", async () => {
    const blind = { id: "x/blind", label: "Blind", isDemo: false, hasPrice: false, images: false };
    const panel = await show([recording().chat({ model: blind })]);
    await transfer(panel.page, "paste", { pictures: [{ width: 20, height: 20 }] });
    await panel.page.getByText("Blind can't be shown pictures: remove them, or choose another model.").waitFor();
  });

  it("of a message are shown small, and large in the panel until Esc, which stops nothing", async () => {
    const log = recording();
    const main = log.agent("main");
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==";
    log.event(main, {
      type: "message_end",
      message: {
        role: "user",
        id: "u1",
        timestamp: 0,
        content: [
          { type: "text", text: "What is this?" },
          { type: "text", text: "(the picture follows)" },
          { type: "image", mimeType: "image/png", data },
        ],
        meta: { attachments: [{ kind: "image", name: "dot.png", mimeType: "image/png" }] },
      },
    });
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.getByRole("button", { name: "Enlarge dot.png" }).focus();
    await page.keyboard.press("Enter");
    const viewer = page.getByRole("dialog", { name: "dot.png" });
    await viewer.waitFor();
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
    assert.equal(await page.getByText("Press Esc again").count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Enlarge dot.png");
    assert.deepEqual([panel.problems, panel.strangeRequests], [[], []]);
  });
});

describe("what is pasted and dropped in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("as files of the editor's explorer is handed to the host, which judges it", async () => {
    const panel = await show("idle");
    await transfer(panel.page, "drop", {
      data: { "application/vnd.code.uri-list": "file:///shop/src/a.ts\r\nfile:///shop/docs\r\n" },
    });
    const dropped = (await panel.intents()).find((intent) => intent.type === "dropFiles");
    assert.deepEqual(dropped, { type: "dropFiles", uris: ["file:///shop/src/a.ts", "file:///shop/docs"] });
  });

  it("as a file that is a text goes along as a text", async () => {
    const panel = await show("idle");
    await transfer(panel.page, "drop", { files: [{ name: "notes.md", type: "text/markdown", text: "# Notes\n" }] });
    await panel.page.getByRole("button", { name: "Remove notes.md (8 B)" }).waitFor();
    assert.deepEqual(await sentAttachments(panel), [{ kind: "text", name: "notes.md", text: "# Notes\n" }]);
  });

  it("as an address of the web or as words stays a text", async () => {
    const panel = await show("idle");
    await transfer(panel.page, "drop", {
      data: { "text/uri-list": "https://example.com/a.ts", "text/plain": "words" },
    });
    await transfer(panel.page, "paste", {
      data: { "text/plain": "a short text" },
      pictures: [{ width: 9, height: 9 }],
    });
    await panel.drawn();
    assert.equal(await removeButtons(panel).count(), 0);
    assert.ok(!(await panel.intents()).some((intent) => intent.type === "dropFiles"));
  });

  it("as a text of 1 MB becomes an attachment: whole, at once, and the typing goes on", async () => {
    const panel = await show("idle");
    const { page } = panel;
    const text = "0123456789abcdef".repeat(65_536);
    const started = performance.now();
    await transfer(page, "paste", { data: { "text/plain": text } });
    await page.getByRole("button", { name: "Remove Pasted text (1.0 MB)" }).waitFor();
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    await composer.focus();
    await page.keyboard.type("What is in this log?");
    await panel.drawn();
    const took = performance.now() - started;
    assert.ok(took < 5_000, `it took ${Math.round(took)} ms`);
    assert.equal(await composer.inputValue(), "What is in this log?");
    const [attachment] = await sentAttachments(panel);
    assert.deepEqual(attachment, { kind: "text", name: "Pasted text", text });
  });

  it("never makes the text taller than two fifths of the panel: then it scrolls", async () => {
    const panel = await show("idle", { height: 600 });
    const composer = panel.page.getByRole("textbox", { name: "Ask Agent" });
    const height = async () => (await composer.boundingBox())?.height ?? 0;
    const atFirst = await height();
    await composer.fill("one\ntwo\nthree\nfour");
    await panel.drawn();
    const some = await height();
    assert.ok(some > atFirst + 30);
    await composer.fill("line\n".repeat(200));
    await panel.drawn();
    const most = await height();
    assert.ok(most > some && most <= 0.4 * 600 + 1, `${most} pixels`);
  });
});
