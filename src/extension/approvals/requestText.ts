import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { PermissionRequest } from "./permission.ts";
import { visibleText } from "./visibleText.ts";

/** What is to be run, fetched or read, all of it, with nothing hidden in it. */
export function requestText(request: PermissionRequest): string {
  switch (request.kind) {
    case "command":
      return visibleText(request.command);
    case "fetch":
      return visibleText(request.url);
    case "read":
      return visibleText(request.path);
    default:
      return assertNever(request);
  }
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
  if (request.kind === "read") {
    const { leadsTo } = request;
    const link = leadsTo === undefined ? [] : [t("a link to {0}", visibleText(leadsTo))];
    return [...link, t("This file may hold passwords or keys. Its text is sent to the model.")];
  }
  const host = visibleText(request.host);
  const known = request.isPrivate
    ? t("from {0}, which is this machine or in a network of its own", host)
    : t("from {0}", host);
  return [known, ...request.concerns.map(visibleText)];
}
