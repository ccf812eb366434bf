import { t } from "@vscode/l10n";
import type { Attachment } from "../../protocol/attachments.ts";
import { sizeText } from "../text/format.ts";

/** A picture that is shown large. */
export interface EnlargedPicture {
  url: string;
  name: string;
}

/** `auth.ts`, `auth.ts:3-9`, `Changes`, `Pasted text (1.0 MB)` */
export function attachmentLabel(attachment: Attachment): string {
  switch (attachment.kind) {
    case "file":
    case "folder":
    case "selection": {
      const { path, startLine, endLine } = attachment;
      const name = path.split("/").findLast((part) => part !== "") ?? path;
      return startLine === undefined ? name : `${name}:${startLine}-${endLine ?? startLine}`;
    }
    case "symbol":
      return attachment.name ?? attachment.path;
    case "problems":
      return t("Problems");
    case "terminal":
      return t("Terminal");
    case "diff":
      return t("Changes");
    case "text":
      return `${attachment.name} (${sizeText(attachment.text.length)})`;
    case "agent":
    case "resource":
    case "image":
      return attachment.name;
    default:
      attachment satisfies never;
      return "";
  }
}

/** The whole of what a chip names, for its tooltip. */
export function attachmentTitle(attachment: Attachment): string {
  switch (attachment.kind) {
    case "symbol":
      return `${attachment.path}:${attachment.startLine ?? 1}`;
    case "problems":
      return t("The errors and warnings that the editor shows");
    case "terminal":
      return t("The output of the last command in a terminal");
    case "diff":
      return t("What changed since the last commit");
    case "agent":
      return attachment.agentId === undefined
        ? t("{0} is asked to do it", attachment.name)
        : t("Only {0} gets this, while it runs", attachment.name);
    case "resource":
      return `${attachment.server}: ${attachment.uri}`;
    case "file":
    case "folder":
    case "selection":
      return attachment.path;
    default:
      return attachmentLabel(attachment);
  }
}

const icons: Readonly<Record<Attachment["kind"], string>> = {
  file: "file",
  folder: "folder",
  selection: "list-selection",
  symbol: "symbol-method",
  problems: "warning",
  terminal: "terminal",
  diff: "git-compare",
  agent: "hubot",
  resource: "plug",
  text: "note",
  image: "file-media",
};

export function attachmentIcon({ kind }: Attachment): string {
  return icons[kind];
}
