import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { t } from "@vscode/l10n";
import { onAbort } from "../common/abort.ts";

/** Where a browser comes back to after a sign-in: an address on this machine, for one sign-in. */
export interface LoopbackCallback {
  readonly redirectUri: string;
  /** The parameters of the first request that is the one which is waited for; others are refused. Rejects with the signal's reason. */
  next(isExpected: (parameters: URLSearchParams) => boolean, signal: AbortSignal): Promise<URLSearchParams>;
  dispose(): void;
}

const path = "/callback";

/**
 * Listens on a port of the loopback interface: the wanted one if it is free. `external` says how a browser reaches it,
 * which runs on another machine where the window is a remote one.
 */
export async function listenOnLoopback(
  port: number | undefined,
  external: (address: string) => PromiseLike<string> = async (address) => address,
): Promise<LoopbackCallback> {
  let waiting:
    | { isExpected(parameters: URLSearchParams): boolean; resolve(parameters: URLSearchParams): void }
    | undefined;
  const server = createServer(({ method, url = "" }, response) => {
    const asked = URL.canParse(url, "http://127.0.0.1") ? new URL(url, "http://127.0.0.1") : undefined;
    if (method !== "GET" || asked?.pathname !== path) return answer(response, 404, t("Nothing is here."));
    if (waiting?.isExpected(asked.searchParams) !== true)
      return answer(response, 400, t("This sign-in was not asked for."));
    answer(response, 200, t("You can close this page and go back to the editor."));
    waiting.resolve(asked.searchParams);
  });
  const dispose = () => {
    server.close();
    server.closeIdleConnections();
  };
  await listen(server, port ?? 0).catch(() => listen(server, 0));
  // An address object, since it listens on a port.
  const { port: own } = server.address() as AddressInfo;
  try {
    return {
      redirectUri: await external(`http://127.0.0.1:${own}${path}`),
      async next(isExpected, signal) {
        signal.throwIfAborted();
        const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
        waiting = { isExpected, resolve };
        const listening = onAbort(signal, () => reject(signal.reason));
        return promise.finally(() => listening.dispose());
      },
      dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", () => {
    server.off("error", reject);
    resolve();
  });
  return promise;
}

function answer(response: ServerResponse, status: number, text: string): void {
  const headers = {
    ...{ "content-type": "text/plain; charset=utf-8", "content-security-policy": "default-src 'none'" },
    ...{ "cache-control": "no-store", "referrer-policy": "no-referrer", connection: "close" },
  };
  response.writeHead(status, headers).end(text);
}
