// The other end of the message path: parses what comes, as the panel does, and reports how long its loop was busy.
let from = performance.eventLoopUtilization();
let parsed = 0;
process.on("message", (text) => {
  if (text !== "end") {
    parsed += JSON.parse(text).entries?.length ?? 0;
    return;
  }
  process.send({ ms: performance.eventLoopUtilization(from).active, parsed });
});
process.send("ready");
from = performance.eventLoopUtilization();
