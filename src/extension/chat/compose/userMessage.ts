import { randomUUID } from "node:crypto";
import type { UserMessage } from "../../../agent/index.ts";
import { errorText } from "../../../agent/vocabulary/errors.ts";
import { type Attachment, noted, wrapText } from "../../../protocol/attachments.ts";
import { UserError } from "../../common/userError.ts";
import { type Brought, element, readLive, readPlace } from "./attach/readAttachment.ts";
import type { AttachmentSources } from "./attach/sources.ts";

/** The most characters that one attachment brings, unless the user put them there. */
const maxOfOne = 100_000;

/** The most characters that the attachments of a message bring, beside what the user put there. */
const maxOfAll = 400_000;

export interface ComposeOptions {
  sources: AttachmentSources;
  /** False when the model is known to take no pictures. */
  takesImages: boolean;
  signal: AbortSignal;
}

/**
 * The message an agent gets: first the user's words as typed, then what each attachment brings. What cannot be read is
 * said in its place, so that the model does not answer from nothing.
 */
export async function composeUserMessage(
  text: string,
  attachments: readonly Attachment[],
  options: ComposeOptions,
): Promise<UserMessage> {
  const content: UserMessage["content"] = [{ type: "text", text }];
  let room = maxOfAll;
  for (const attachment of attachments) {
    const [said, ...image] = await bring(attachment, room, options);
    if (attachment.kind !== "text") room -= said.text.length;
    content.push(said, ...image);
  }
  return {
    role: "user",
    id: randomUUID(),
    content,
    timestamp: Date.now(),
    ...(attachments.length > 0 && { meta: { attachments: attachments.map(noted) } }),
  };
}

async function bring(attachment: Attachment, left: number, options: ComposeOptions): Promise<Brought> {
  const { sources, takesImages, signal } = options;
  const room = Math.min(left, maxOfOne);
  const ofWorkspace = ofTheWorkspace(attachment);
  if (ofWorkspace !== undefined && !sources.isTrusted()) return element("attached_file", ofWorkspace, restricted);
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "selection":
    case "symbol": {
      const { path } = attachment;
      if (room <= 0) return element("attached_file", { path }, "(left out: the message is long. Read it if needed.)");
      return orReason({ path }, signal, () =>
        readPlace(attachment, { workspace: sources.workspace, room, takesImages, signal }),
      );
    }
    case "problems":
    case "terminal":
    case "diff":
      return orReason({ of: attachment.kind }, signal, () => readLive(attachment, sources, Math.max(0, room), signal));
    case "agent":
      return [{ type: "text", text: agentWords(attachment.name) }];
    case "resource": {
      const { server, uri } = attachment;
      return orReason({ of: `${server}: ${uri}` }, signal, async () =>
        element("attached_resource", { server, uri }, (await sources.readResource(attachment, signal)).slice(0, room)),
      );
    }
    case "text": {
      const opening = `<pasted_text name=${JSON.stringify(attachment.name)}>`;
      return [{ type: "text", text: wrapText(opening, attachment.text, "</pasted_text>") }];
    }
    case "image": {
      const [caption] = element("attached_image", { name: attachment.name }, "(the picture follows)");
      return [caption, { type: "image", mimeType: attachment.mimeType, data: attachment.data }];
    }
    default:
      attachment satisfies never;
      throw new Error("An attachment of an unknown kind.");
  }
}

const restricted =
  "(Not attached: the workspace is in Restricted Mode, until the user trusts it. Say so, and answer without it.)";

/** What is read of the workspace or of the editor; undefined for what a message brings itself. */
function ofTheWorkspace(attachment: Attachment): { path?: string; of?: string } | undefined {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "selection":
    case "symbol":
      return { path: attachment.path };
    case "problems":
    case "terminal":
    case "diff":
      return { of: attachment.kind };
    case "resource":
      return { of: `${attachment.server}: ${attachment.uri}` };
    case "agent":
    case "text":
    case "image":
      return undefined;
    default:
      attachment satisfies never;
      return undefined;
  }
}

function agentWords(name: string): string {
  return `<for_agent name=${JSON.stringify(name)}>\nDelegate this to the agent ${JSON.stringify(name)}.\n</for_agent>`;
}

async function orReason(
  what: { path?: string; of?: string },
  signal: AbortSignal,
  read: () => Promise<Brought>,
): Promise<Brought> {
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof UserError ? error.forModel : errorText(error);
    return element("attached_file", what, `(could not be read: ${reason})`);
  }
}
