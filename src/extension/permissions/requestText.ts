import { t } from "@vscode/l10n";
import type { PermissionRequest } from "./permission.ts";
import { visibleText } from "./visibleText.ts";

/** What is to be run or fetched, all of it, with nothing hidden in it. */
export function requestText(request: PermissionRequest): string {
  return visibleText(request.kind === "command" ? request.command : request.url);
}

/** Where it runs or goes, and what is odd about it. */
export function requestDetail(request: PermissionRequest): string {
  return place(request).join("\n");
}

function place(request: PermissionRequest): string[] {
  if (request.kind === "command") {
    const cwd = visibleText(request.cwd);
    return [request.background === true ? t("in {0}, in the background until it is stopped", cwd) : t("in {0}", cwd)];
  }
  const host = visibleText(request.host);
  const known = request.isPrivate
    ? t("from {0}, which is this machine or in a network of its own", host)
    : t("from {0}", host);
  return [known, ...request.concerns.map(visibleText)];
}
