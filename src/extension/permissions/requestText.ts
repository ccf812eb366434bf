import { t } from "@vscode/l10n";
import type { PermissionRequest } from "./permission.ts";
import { visibleText } from "./visibleText.ts";

/** What is to be run or fetched, all of it, with nothing hidden in it. */
export function requestText(request: PermissionRequest): string {
  return visibleText(request.kind === "command" ? request.command : request.url);
}

/** Where it runs or goes, what is odd about it, and who else waits for the answer. */
export function requestDetail(request: PermissionRequest, othersWaiting: readonly string[]): string {
  const also = othersWaiting.length === 0 ? [] : [t("Also asked by {0}", othersWaiting.map(visibleText).join(", "))];
  return [...place(request), ...also].join("\n");
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
