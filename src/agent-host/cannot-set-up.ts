/** The agent cannot be set up as the scenario or the config says. Its message is for the user. */
export class CannotSetUp extends Error {}
