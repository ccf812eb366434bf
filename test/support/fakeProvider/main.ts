/** Runs the fake provider: `node main.ts --port 0` prints its URL. It ends with the process that forked it. */
import { parseArgs } from "node:util";
import { createFakeServer } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const server = createFakeServer();
server.listen(Number(values.port), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});
process.on("disconnect", () => process.exit(0));
