/** The provider of machines refuses what a run asks for, and would refuse it again. */
export class MachineRefused extends Error {}
