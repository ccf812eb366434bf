// What a provider finds in its cache of a chat's requests, by its documented rules.
import { wireNames } from "../../agent/providers/support.ts";
import { sentRequests } from "../../support/wireTask/chatOverWire.ts";
import { cachedInputs, cachedShare } from "../../support/wireTask/promptCaches.ts";
import { fiveTurns, interruptions } from "../../support/wireTask/scenarios.ts";
import { changedBytes, readRequest } from "../../support/wireTask/wireRequest.ts";

export const wireRows = [fiveTurns, interruptions].map((scenario) => ({
  name: scenario.name,
  async measure() {
    const rows = [];
    for (const wire of wireNames) {
      const sent = await sentRequests(wire, scenario);
      const requests = sent.map(readRequest);
      const inputs = cachedInputs(requests);
      const title = `${scenario.name}, ${wire}: input of ${sent.length} requests from the cache`;
      rows.push({ title, unit: "%", value: cachedShare(inputs) * 100 });
      printRequests(title, { sent, requests, inputs });
    }
    return rows;
  },
}));

function printRequests(title, { sent, requests, inputs }) {
  console.log(`\n${title}`);
  for (const [at, { tokens, cached }] of inputs.entries()) {
    const changed = changedBytes(sent, at);
    console.log(
      [
        `${String(at + 1).padStart(3)} ${(requests[at]?.agent ?? "").padEnd(10)}`,
        `${String(tokens).padStart(6)} tokens, ${String(cached).padStart(6)} cached`,
        changed === undefined ? "first of its conversation" : `${changed} bytes changed`,
      ].join("  "),
    );
  }
}
