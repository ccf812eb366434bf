import type { SessionStorage } from "../../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";

/** Writes a log as a session that is closed. */
export async function writeSession(
  storage: SessionStorage,
  id: string,
  { entries }: { readonly entries: readonly LogEntry[] },
): Promise<void> {
  const writer = await storage.create(id);
  for (const entry of entries) writer.append(entry);
  await writer.close();
}
