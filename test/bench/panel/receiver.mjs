// The other end of the message path: parses what comes, as the panel does, and tells what that took.
let from = process.cpuUsage();
let parsed = 0;
process.on("message", (text) => {
  if (text !== "end") {
    parsed += JSON.parse(text).entries.length;
    return;
  }
  const { user, system } = process.cpuUsage(from);
  process.send(parsed === 0 ? Number.NaN : (user + system) / 1_000);
});
process.send("ready");
from = process.cpuUsage();
