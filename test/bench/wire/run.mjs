// What a provider finds in its cache of a chat's requests, by its documented rules: `npm run bench -- wire`.
import { wireNames } from "../../agent/providers/support.ts";
import { sentRequests } from "../../support/wireTask/chatOverWire.ts";
import { cachedInputs, cachedShare } from "../../support/wireTask/promptCaches.ts";
import { fiveTurns, interruptions } from "../../support/wireTask/scenarios.ts";
import { changedBytes, readRequest } from "../../support/wireTask/wireRequest.ts";

/** @param {{ only: string | undefined }} options */
export async function runWireBench({ only = "" }) {
  for (const scenario of [fiveTurns, interruptions].filter(({ name }) => name.includes(only))) {
    for (const wire of wireNames) {
      const sent = await sentRequests(wire, scenario);
      const requests = sent.map(readRequest);
      const inputs = cachedInputs(requests);
      const share = (cachedShare(inputs) * 100).toFixed(1);
      console.log(`\n${scenario.name}, ${wire}: ${share} % of ${sent.length} requests' input from the cache`);
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
  }
}
