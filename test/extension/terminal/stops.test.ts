import assert from "node:assert/strict";
import fc from "fast-check";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { type CommandBench, commandBench, isAlive, patienceMs, untilPrinted } from "./support.ts";

/** A process that goes on until it is killed, with what it spawned. */
interface Branch {
  ignoresSignals: boolean;
  leavesSession: boolean;
  /** The process that started it has ended. */
  isOrphan: boolean;
  branches: readonly Branch[];
}

/** At most so many processes below one another: the quotes of a script multiply with each. */
function branchOf(depth: number): fc.Arbitrary<Branch> {
  return fc.record({
    ignoresSignals: fc.boolean(),
    leavesSession: fc.boolean(),
    isOrphan: fc.boolean(),
    branches: depth > 1 ? fc.array(branchOf(depth - 1), { maxLength: 2 }) : fc.constant([]),
  });
}
const tree = fc.array(branchOf(3), { minLength: 1, maxLength: 2 });

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function script({ ignoresSignals, leavesSession, isOrphan, branches }: Branch): string {
  const own = [
    ...(ignoresSignals ? ["trap '' TERM HUP INT"] : []),
    ...branches.map(script),
    "echo pid=$$.",
    "while :; do sleep 1000; done",
  ].join("\n");
  const start = `${leavesSession ? "setsid " : ""}bash -c ${quoted(own)} &`;
  return isOrphan ? `(${start})` : start;
}

function size(branches: readonly Branch[]): number {
  return branches.reduce((sum, each) => sum + 1 + size(each.branches), 0);
}

const mostMs = 5_000;

describe("a tree of processes", function () {
  this.timeout(timeLimitMs(patienceMs * 2));
  let bench: CommandBench;
  before(async () => {
    bench = await commandBench();
  });
  after(() => bench.close());

  it("is dead within 5 s of its stop, whatever its processes ignore and wherever they went", () =>
    fc.assert(
      fc.asyncProperty(tree, async (branches) => {
        const command = await bench.start([...branches.map(script), "while :; do sleep 1000; done"].join("\n"));
        const printed = new RegExp(`(?:pid=\\d+\\.\\s+){${size(branches)}}`);
        const [text] = await untilPrinted(command.output, printed);
        const stoppedAt = performance.now();
        const { cause } = await command.stop("stopped");
        const tookMs = performance.now() - stoppedAt;
        assert.equal(cause, "stopped");
        for (const [, pid = ""] of text.matchAll(/pid=(\d+)/g)) assert.equal(isAlive(pid), false, `${pid} is alive`);
        assert.ok(tookMs <= mostMs, `the stop took ${Math.round(tookMs)} ms`);
      }),
      tries("stops"),
    ));
});
