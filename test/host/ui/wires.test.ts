import { survivesClosing } from "./wire/reopen.ts";
import { writesAcceptedHunksAlone } from "./wire/review.ts";
import { useSession } from "./wire/session.ts";
import { stopsMidStream } from "./wire/stop.ts";
import { showsThreeLevels } from "./wire/threeLevels.ts";

for (const wire of ["anthropic", "openai"] as const) {
  describe(`Arbor in an editor, with a provider that speaks "${wire}"`, () => {
    const session = useSession(wire);
    showsThreeLevels(session);
    writesAcceptedHunksAlone(session);
    stopsMidStream(session);
    survivesClosing(session);
  });
}
