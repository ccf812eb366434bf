// The other end of the message path: parses what comes, as the panel does, and reports what that took.
let from = process.cpuUsage();
let parsed = 0;
process.on("message", (text) => {
  if (text !== "end") {
    parsed += JSON.parse(text).entries?.length ?? 0;
    return;
  }
  const { user, system } = process.cpuUsage(from);
  process.send({ ms: (user + system) / 1_000, parsed });
});
process.send("ready");
from = process.cpuUsage();
