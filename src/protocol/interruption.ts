/** The error of a message and of a run that ended with the editor: nobody stopped them. */
export const interruptedError = "The run was interrupted.";
