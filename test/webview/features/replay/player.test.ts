import assert from "node:assert/strict";
import type { TimedEntry } from "../../../../src/protocol/messages.ts";
import { createPlayer } from "../../../../src/webview/features/replay/player.ts";
import { manualTiming } from "../../support/manualTiming.ts";

/** Events at these seconds, on a clock that the test moves. */
function playerOf(seconds: readonly (number | undefined)[]) {
  const manual = manualTiming();
  let now = 0;
  const titles: (string | undefined)[] = [];
  const player = createPlayer({
    timing: { ...manual, now: () => now },
    show: (state) => titles.push(state.host.title),
  });
  player.add(
    seconds.map(
      (at, index): TimedEntry => ({
        ...(at !== undefined && { at: 1_000_000 + at * 1_000 }),
        entry: { seq: index + 1, host: { type: "chat_titled", title: `${index + 1}` } },
      }),
    ),
  );
  return {
    ...{ player, titles, manual },
    pass(ms: number) {
      now += ms;
      manual.runFrame();
    },
  };
}

describe("the player of a replay", () => {
  it("shows the end at first, and plays from the start at the speed that is chosen", () => {
    const { player, titles, pass } = playerOf([0, 1, 1.5, 3]);
    assert.equal(player.position.value, 4);
    assert.equal(titles.at(-1), "4");
    player.toggle();
    assert.equal(player.position.value, 0);
    pass(10);
    assert.equal(player.position.value, 1);
    pass(900);
    assert.equal(player.position.value, 1);
    pass(100);
    assert.equal(player.position.value, 2);
    player.faster(1);
    player.faster(1);
    assert.equal(player.speed.value, 5);
    pass(150);
    assert.equal(player.position.value, 3);
    pass(300);
    assert.equal(player.position.value, 4);
    assert.equal(player.isPlaying.value, false);
  });

  it("shortens waits in which nothing happened, and gives events without times a pace", () => {
    const waits = playerOf([0, 3_600]);
    waits.player.toggle();
    waits.pass(10);
    waits.pass(2_000);
    assert.equal(waits.player.position.value, 2);
    const untimed = playerOf([undefined, undefined, undefined]);
    untimed.player.toggle();
    untimed.pass(250);
    assert.equal(untimed.player.position.value, 1);
    untimed.pass(250);
    assert.equal(untimed.player.position.value, 2);
  });

  it("plays at its speed when it is paused and started between two frames", () => {
    const { player, pass } = playerOf([0, 1, 2, 3]);
    player.toggle();
    pass(10);
    player.toggle();
    player.toggle();
    pass(600);
    pass(200);
    assert.equal(player.position.value, 1);
    pass(200);
    assert.equal(player.position.value, 2);
  });

  it("pauses, and pauses where the user seeks or steps", () => {
    const { player, pass } = playerOf([0, 1, 2, 3]);
    player.toggle();
    pass(10);
    player.toggle();
    pass(5_000);
    assert.equal(player.position.value, 1);
    player.toggle();
    player.seek(3);
    assert.equal(player.isPlaying.value, false);
    player.step(-1);
    assert.equal(player.position.value, 2);
    player.seek(-5);
    assert.equal(player.position.value, 0);
    player.seek(99);
    assert.equal(player.position.value, 4);
  });

  it("has the clock of the moment, by which what runs has run so long", () => {
    const { player } = playerOf([0, 60]);
    let ticks = 0;
    player.timing.later(() => ticks++, 1_000);
    player.seek(1);
    assert.equal(player.timing.now(), 1_000_000);
    assert.equal(ticks, 1);
    player.seek(2);
    assert.equal(player.timing.now(), 1_060_000);
    assert.equal(ticks, 1);
  });

  it("follows what is added as long as its end is shown", () => {
    const { player } = playerOf([0, 1]);
    const added: TimedEntry = { at: 1_002_000, entry: { seq: 3, host: { type: "chat_titled", title: "3" } } };
    player.add([added]);
    assert.equal(player.position.value, 3);
    player.seek(1);
    player.add([{ ...added, entry: { ...added.entry, seq: 4 } }]);
    assert.equal(player.position.value, 1);
    assert.equal(player.count.value, 4);
  });
});
