/** The error of a message and of a run that ended with the editor, without being stopped. */
export const interruptedError = "The run was interrupted.";
