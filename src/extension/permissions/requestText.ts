import type { PermissionRequest } from "./permission.ts";
import { visibleText } from "./visibleText.ts";

/** What is to be run or fetched, all of it, with nothing hidden in it. */
export function requestText(request: PermissionRequest): string {
  return visibleText(request.kind === "command" ? request.command : request.url);
}

/** Where it runs or goes, what is odd about it, and who else waits for the answer. */
export function requestDetail(request: PermissionRequest, othersWaiting: readonly string[]): string {
  const also = othersWaiting.length === 0 ? [] : [`Also asked by ${othersWaiting.map(visibleText).join(", ")}`];
  return [...place(request), ...also].join("\n");
}

function place(request: PermissionRequest): string[] {
  if (request.kind === "command") {
    const cwd = visibleText(request.cwd);
    return [request.background === true ? `in ${cwd}, in the background until it is stopped` : `in ${cwd}`];
  }
  const host = visibleText(request.host);
  const known = request.isPrivate ? `from ${host}, which is this machine or in a network of its own` : `from ${host}`;
  return [known, ...request.concerns.map(visibleText)];
}
