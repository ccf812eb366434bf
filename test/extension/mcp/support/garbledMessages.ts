const methods = [
  ...["elicitation/create", "sampling/createMessage", "roots/list", "ping", "tools/list", "notifications/progress"],
  ...[
    "notifications/message",
    "notifications/cancelled",
    "notifications/tools/list_changed",
    "__proto__",
    "",
    "\u202e",
  ],
];
const values = [
  ...["null", "true", "-1", "1e400", "0.5", '""', '"\\ud800"', "[]", "{}", '{"__proto__":{"id":1}}', "[[[[[[]]]]]]"],
  ...[
    `"${"x".repeat(5_000)}"`,
    `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
    '{"content":"not a list"}',
    '{"content":[null]}',
  ],
  ...['{"content":[{"type":"text"}]}', '{"tools":7}', '{"message":"m","requestedSchema":7}', '{"messages":{}}'],
];

/**
 * Lines that are nearly messages of the protocol: of wrong types, with the ids of others, cut off or joined. The same for
 * the same seed. `open` is the id of a request that waits for its answer.
 */
export function garbledMessages(seed: number, { open, count }: { open: number; count: number }): string[] {
  let state = seed + 1;
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  const pick = <Item>(all: readonly Item[]): Item => all[below(all.length)] as Item;
  const message = () => {
    const fields = [
      pick(['"jsonrpc":"2.0"', '"jsonrpc":"2.0"', '"jsonrpc":"1.0"', '"jsonrpc":2', '"id":1']),
      `"id":${pick([String(open + 1 + below(50)), "-1", "null", '"1"', "1e99", "{}"])}`,
      pick([`"method":${JSON.stringify(pick(methods))}`, `"result":${pick(values)}`, `"error":${pick(values)}`]),
      `"params":${pick(values)}`,
    ];
    return `{${fields.filter(() => below(8) > 0).join(",")}}`;
  };
  return Array.from({ length: count }, () => {
    const text = message();
    switch (below(6)) {
      case 0:
        return text.slice(0, below(text.length));
      case 1:
        return text + message();
      case 2:
        return `[${text}]`;
      case 3:
        return `${text.slice(0, 10)}\u0000\ufffd${text.slice(10)}`;
      default:
        return text;
    }
  });
}
