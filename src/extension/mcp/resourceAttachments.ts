import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { truncateOutput } from "../../agent/vocabulary/truncate.ts";
import type { ResourceAttachment } from "../../protocol/attachments.ts";
import { visibleText } from "../approvals/requestText.ts";
import { ToolError } from "../common/userError.ts";
import type { McpServer } from "./mcpServer.ts";

const maxOffered = 200;
const maxUriLength = 4_096;
/** Of what a server sends, so much is looked through. */
const maxLength = 200_000;

/** What servers offer for reading, as the composer attaches it. */
export function resourceAttachments(servers: readonly McpServer[]): ResourceAttachment[] {
  const all = servers.flatMap(({ definition, offers }) =>
    offers.resources.map(({ name, uri }) => ({
      kind: "resource" as const,
      server: definition.name,
      uri,
      // It is a word of the message: what would end it is none of it.
      name:
        visibleText(name)
          .replace(/[\s"@]+/g, "-")
          .slice(0, 100) || "resource",
    })),
  );
  return all.filter(({ uri }) => uri !== "" && uri.length <= maxUriLength).slice(0, maxOffered);
}

/** The text of an attached resource. The user chose it, so that nothing is asked. Starts the server where it does not run. */
export async function readAttachedResource(
  servers: readonly McpServer[],
  { server: name, uri }: ResourceAttachment,
  signal: AbortSignal,
): Promise<string> {
  const server = servers.find(({ definition }) => definition.name === name);
  if (server === undefined) throw new ToolError(`The MCP server ${name} is not there, or not allowed to start.`);
  return textOf(await server.readResource(uri, signal));
}

function textOf({ contents }: ReadResourceResult): string {
  const texts = contents.map((content) =>
    "text" in content ? content.text : `(${content.mimeType ?? "Binary data"}, which is no text: ${content.uri})`,
  );
  const all = texts.join("\n").slice(0, maxLength).replaceAll("\r\n", "\n");
  return truncateOutput(all.split("\t").map(visibleText).join("\t"));
}
