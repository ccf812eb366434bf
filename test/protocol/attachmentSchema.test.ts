import assert from "node:assert/strict";
import { attachmentSchema, attachmentsSchema } from "../../src/protocol/attachmentSchema.ts";
import { type Attachment, isSameAttachment } from "../../src/protocol/attachments.ts";

const picture: Attachment = { kind: "image", name: "shot.png", mimeType: "image/png", data: "QUJD" };
const each: Attachment[] = [
  { kind: "file", path: "a.ts" },
  { kind: "folder", path: "src" },
  { kind: "selection", path: "a.ts", startLine: 1, endLine: 2 },
  { kind: "selection", path: "a.ts", startLine: 1, endLine: 3 },
  { kind: "symbol", path: "a.ts", name: "total", startLine: 1 },
  { kind: "problems" },
  { kind: "problems", path: "a.ts" },
  { kind: "terminal" },
  { kind: "diff" },
  { kind: "agent", name: "explore" },
  { kind: "agent", name: "explore", agentId: "1" },
  { kind: "text", name: "log", text: "one" },
  { kind: "text", name: "log", text: "two" },
  picture,
  { ...picture, data: "QUJE" },
];

describe("attachments from the panel", () => {
  it("of every kind are taken as they are", () => {
    assert.deepEqual(attachmentsSchema.parse(each), each);
  });

  const refused: [string, unknown][] = [
    ["of no known kind", { kind: "secret", path: "a" }],
    ["a file without a path", { kind: "file", path: "" }],
    ["a line before the first", { kind: "selection", path: "a", startLine: 0 }],
    ["a picture that is none", { ...picture, mimeType: "image/svg+xml" }],
    ["a picture that is not base64", { ...picture, data: "<svg>" }],
    ["a picture that is too large", { ...picture, data: "A".repeat(2_000_001) }],
    ["a text that is too long", { kind: "text", name: "log", text: "x".repeat(5_000_001) }],
  ];
  for (const [what, attachment] of refused) {
    it(`are refused: ${what}`, () => assert.equal(attachmentSchema.safeParse(attachment).success, false));
  }

  it("are no more than ten pictures", () => {
    assert.equal(attachmentsSchema.safeParse(Array(10).fill(picture)).success, true);
    assert.equal(attachmentsSchema.safeParse(Array(11).fill(picture)).success, false);
  });

  it("are the same only when all that distinguishes them is", () => {
    for (const [index, one] of each.entries()) {
      for (const [otherIndex, other] of each.entries()) {
        assert.equal(isSameAttachment(one, { ...other }), index === otherIndex, `${JSON.stringify([one, other])}`);
      }
    }
  });
});
