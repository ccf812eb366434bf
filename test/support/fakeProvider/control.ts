import type { ScriptEntry } from "./script.ts";
import type { State } from "./state.ts";
import { isObject } from "./wires/wire.ts";

/** Answers `/control/…`: what the handle of `startFakeProvider` offers, as JSON over HTTP. */
export async function control(state: State, url: URL, body: unknown): Promise<unknown> {
  const query = url.searchParams;
  switch (url.pathname) {
    case "/control/script":
      if (!Array.isArray(body)) throw new Error("A script is a list of entries.");
      // Scripts are typed where they are written (script.ts).
      state.script.add(body as ScriptEntry[]);
      return null;
    case "/control/release":
      state.gates.release(isObject(body) ? String(body.gate) : "");
      return null;
    case "/control/reached":
      await state.gates.reached(query.get("gate") ?? "", Number(query.get("count") ?? 1));
      return null;
    case "/control/requests":
      await state.until(() => state.requests.length >= Number(query.get("count") ?? 0));
      return state.requests;
    case "/control/count":
      return state.requests.length;
    case "/control/summary": {
      const settled = Object.groupBy(state.requests, (request) => request.settled);
      const { open = [], closed = [] } = settled;
      const { requests, sentCharacters: characters } = state;
      return {
        ...{ requests: requests.length, open: open.length, closed: closed.length, characters },
        last: requests.at(-1)?.body ?? null,
      };
    }
    case "/control/settled": {
      const index = Number(query.get("request"));
      await state.until(() => (state.requests[index]?.settled ?? "open") !== "open");
      return state.requests[index]?.settled;
    }
    default:
      throw new Error(`No such control: ${url.pathname}`);
  }
}
