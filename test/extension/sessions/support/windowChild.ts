/** A window: takes its folder, says which one it is, and lives until it is killed. */
import { writeSync } from "node:fs";
import { diskFiles } from "../../../../src/extension/common/files.ts";
import { ownIdentity } from "../../../../src/extension/common/processIdentity.ts";
import { takeWindowFolder } from "../../../../src/extension/storage/windowFolders.ts";

const [folder = ""] = process.argv.slice(2);
const owner = ownIdentity();
const place = { folder, files: diskFiles, now: Date.now, abandoned: new Set<string>(), owner: () => owner };
void takeWindowFolder(place, 0).then((taken) => void writeSync(1, `${taken}\n`));
setInterval(() => {}, 60_000);
