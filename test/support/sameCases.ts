import fc from "fast-check";

// `npm test` tries the same random cases each time, so that a change alone decides whether it passes. Others are
// tried by `npm run soak`, and by a file that is run by hand.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_129 });
