import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";

export interface Guard {
  /** Whether the value is a tool as the protocol has it. */
  isTool(value: unknown): boolean;
  log(line: string): void;
  /** Why a stream ended before its answer, where that is known. */
  endReason?(): string | undefined;
}

/**
 * Keeps what one message has wrong from the rest: a tool that makes no sense is left out of its list, which the library
 * would refuse as a whole; and a request whose stream ends without an answer fails, which would wait until its time is up.
 */
export function guardTransport<Guarded extends Transport>(
  transport: Guarded,
  { isTool, log, endReason }: Guard,
): Guarded {
  const open = new Set<RequestId>();
  let deliver: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => deliver,
    set(handler: Transport["onmessage"]) {
      deliver =
        handler &&
        ((message, extra) => {
          if (!("method" in message) && message.id !== undefined) open.delete(message.id);
          handler(withTools(message, isTool, log), extra);
        });
    },
  });
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!("method" in message && "id" in message)) return send(message, options);
    const { id } = message;
    open.add(id);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (!open.has(id)) return;
      const text = endReason?.() ?? "The server ended its answer without a result.";
      deliver?.({ jsonrpc: "2.0", id, error: { code: -32_603, message: text } });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

/** Of what is wrong beside a tool's name, description and schema the tool is used without it. */
function withTools(message: JSONRPCMessage, isTool: Guard["isTool"], log: Guard["log"]): JSONRPCMessage {
  if (!("result" in message) || !Array.isArray(message.result.tools)) return message;
  const tools = message.result.tools.flatMap((tool: unknown) => {
    if (isTool(tool)) return [tool];
    const plain = typeof tool === "object" && tool !== null ? plainTool(tool) : undefined;
    const name = plain === undefined ? "" : String(plain.name);
    const isUsable = isTool(plain);
    log(`The tool ${name} makes no sense and is ${isUsable ? "used without what is wrong" : "left out"}.`);
    return isUsable ? [plain] : [];
  });
  return { ...message, result: { ...message.result, tools } };
}

function plainTool(tool: object): { name?: unknown } {
  const kept = new Set(["name", "description", "inputSchema"]);
  return Object.fromEntries(Object.entries(tool).filter(([key]) => kept.has(key)));
}
