import { pictureFailures } from "./pictureFailures.ts";
import { survivesClosing } from "./wire/reopen.ts";
import { writesAcceptedHunksAlone } from "./wire/review.ts";
import { openSession, type Session } from "./wire/session.ts";
import { stopsMidStream } from "./wire/stop.ts";
import { showsThreeLevels } from "./wire/threeLevels.ts";

for (const wire of ["anthropic", "openai"] as const) {
  describe(`Arbor in an editor, with a provider that speaks "${wire}"`, () => {
    let opened: Session | undefined;
    const session = (): Session => {
      if (!opened) throw new Error("The editor did not open.");
      return opened;
    };
    before(async () => {
      opened = await openSession(wire);
    });
    after(() => opened?.close());
    pictureFailures(() => opened?.editor);

    showsThreeLevels(session);
    writesAcceptedHunksAlone(session);
    stopsMidStream(session);
    survivesClosing(session);
  });
}
