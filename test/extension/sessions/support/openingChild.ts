/** A window that opens a session and keeps it open until it is killed. */
import { writeSync } from "node:fs";
import { openSessionStorage } from "../../../../src/extension/sessions/storage.ts";

const [folder = ""] = process.argv.slice(2);
const storage = openSessionStorage({ folder, onTrouble: (message) => void writeSync(1, `${message}\n`) });
void storage.open("a").then(({ writer }) => writeSync(1, writer === undefined ? "reads\n" : "writes\n"));
setInterval(() => {}, 1_000_000);
