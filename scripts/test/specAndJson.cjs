/** Mocha's spec and JSON reporters on one run: the first for the reader, the second for the sum. */
const { reporters } = require("mocha");

module.exports = class SpecAndJson {
  constructor(runner, options) {
    new reporters.Spec(runner, options);
    new reporters.JSON(runner, options);
  }
};
